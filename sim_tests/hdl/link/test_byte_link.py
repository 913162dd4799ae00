"""Every operation, every refusal, noise before good frames, frames without end of patience, over bytes."""

from __future__ import annotations

import random
from binascii import crc_hqx
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
from amaranth.sim import Simulator
from cobs import cobs

from tilewright.hdl.link import ByteLink
from tilewright.hdl.link.frame import REPLY, Fault, Operation, Status
from tilewright.sim_tests.hdl.engine.streams import take

IDENTITY = b"a design of 33 and 7 bits"
PATIENCE = 60


def request(sequence: int, operation: int, port: int = 0, payload: bytes = b"") -> bytes:
    """A frame, with the zeros around it."""
    told = bytes((sequence, operation, port, len(payload))) + payload
    return b"\0" + bytes(cobs.encode(told + crc_hqx(told, 0xFFFF).to_bytes(2, "big"))) + b"\0"


def replies(found: bytes) -> list[tuple[int, int, int, bytes]]:
    """(sequence, operation, status, payload) of each; wrong ones fail."""
    every = []
    for wire in filter(None, found.split(b"\0")):
        frame = cobs.decode(wire)
        assert crc_hqx(frame, 0xFFFF) == 0 and frame[3] == len(frame) - 6 and frame[1] & REPLY
        every.append((frame[0], frame[1] & ~REPLY, frame[2], frame[4:-2]))
    return every


class Held:
    """What is behind the link: a store of 33-bit beats that gives back what it takes, and one of 7 that may be shut."""

    def __init__(self) -> None:
        self.resets = 0
        self.taken: list[list[int]] = [[], []]


def _echo(i: Any, o: Any, into: list[int], *, opens: bool = True) -> Callable[[Any], Awaitable[None]]:
    """Gives back what it takes, which goes ``into`` a list, too."""

    async def process(ctx: Any) -> None:
        waiting: list[int] = []
        while True:
            ctx.set(i.ready, opens)
            ctx.set(o.valid, bool(waiting))
            if waiting:
                ctx.set(o.payload, waiting[0])
            _, _, valid, payload, ready = await ctx.tick().sample(i.valid, i.payload, o.ready)
            if waiting and ready:
                waiting.pop(0)
            if valid and opens:
                waiting.append(payload)
                into.append(payload)

    return process


def run(sent: Iterable[int], *, pause: int = 1, shut: bool = False) -> tuple[list[tuple[int, int, int, bytes]], Held]:
    """Sends bytes, one each ``pause`` cycles; what comes back until nothing more does."""
    link, held = ByteLink([33, 7], [33, 7], IDENTITY, PATIENCE), Held()
    found: list[Any] = []

    async def host(ctx: Any) -> None:
        for byte in sent:
            ctx.set(link.i.payload, byte)
            ctx.set(link.i.valid, 1)
            await ctx.tick()
            ctx.set(link.i.valid, 0)
            for _ in range(pause - 1):
                await ctx.tick()
        quiet, before = 0, 0
        while quiet < 10 * PATIENCE:
            await ctx.tick()
            quiet, before = (quiet + 1, before) if len(found) == before else (0, len(found))

    async def resets(ctx: Any) -> None:
        before = 0
        while True:
            _, _, now = await ctx.tick().sample(link.reset)
            held.resets += now > before
            before = now

    simulator = Simulator(link)
    simulator.add_clock(1e-6)
    simulator.add_testbench(host)
    simulator.add_testbench(resets, background=True)
    simulator.add_testbench(take(link.o, found), background=True)
    simulator.add_testbench(_echo(link.input_0, link.output_0, held.taken[0]), background=True)
    simulator.add_testbench(_echo(link.input_1, link.output_1, held.taken[1], opens=not shut), background=True)
    simulator.run()
    return replies(bytes(byte for _, byte in found)), held


def test_what_is_written_comes_back() -> None:
    beats = [0x1_2345_6789, 0, 0x1_FFFF_FFFF]
    written = b"".join(beat.to_bytes(5, "little") for beat in beats)
    sent = request(1, Operation.WRITE, 0, written) + request(2, Operation.READ, 0, bytes(16))
    sent += request(3, Operation.WRITE, 1, bytes((0x7F, 0x80, 5))) + request(4, Operation.READ, 1, bytes(4))
    found, held = run(sent, pause=3)
    assert held.taken == [beats, [0x7F, 0, 5]]
    assert found == [
        (1, Operation.WRITE, Status.DONE, b""),
        (2, Operation.READ, Status.DONE, written + b"\x0f"),
        (3, Operation.WRITE, Status.DONE, b""),
        (4, Operation.READ, Status.DONE, b"\x7f\x00\x05\x03"),
    ]


def test_identity_and_reset() -> None:
    sent = request(9, Operation.IDENTIFY, 0, bytes(40)) + request(10, Operation.RESET)
    sent += request(11, Operation.IDENTIFY, 0, bytes(3))
    found, held = run(sent)
    assert held.resets == 1
    assert found == [
        (9, Operation.IDENTIFY, Status.DONE, IDENTITY + bytes(40 - len(IDENTITY))),
        (10, Operation.RESET, Status.DONE, b""),
        (11, Operation.IDENTIFY, Status.DONE, IDENTITY[:3]),
    ]


def test_what_is_not_there_is_refused_and_what_takes_nothing_is_told() -> None:
    sent = request(1, 99, 0, b"abc") + request(2, Operation.WRITE, 2, b"abc") + request(3, Operation.READ, 7, bytes(9))
    sent += request(4, Operation.WRITE, 1, bytes(9)) + request(5, Operation.READ, 0, bytes(9))
    sent += request(6, Operation.IDENTIFY, 0, bytes(2))
    found, held = run(sent, shut=True)
    assert held.taken == [[], []]
    assert [(each[0], each[2]) for each in found] == [
        (1, Status.UNKNOWN), (2, Status.UNKNOWN), (3, Status.UNKNOWN), (4, Status.STALLED), (5, Status.DONE),
        (6, Status.DONE),
    ]  # fmt: skip
    assert found[4][3] == bytes(9)  # nothing came of the port
    assert found[5][3] == IDENTITY[:2]


def test_a_reply_is_never_longer_than_its_frame_and_none_is_missing() -> None:
    """Frames of all kinds one behind the other, at the pace of a wire that is as fast both ways."""
    rng = random.Random(5)
    sent, kinds = b"", []
    for sequence in range(40):
        kind = rng.choice((Operation.IDENTIFY, Operation.READ, Operation.WRITE, Operation.RESET, 100))
        payload = rng.randbytes(rng.choice((0, 1, 5, 10, 40)))
        kinds.append((sequence, int(kind)))
        sent += request(sequence, kind, 0, payload)
    found, _ = run(sent, pause=20)
    assert [each[:2] for each in found] == kinds


@pytest.mark.parametrize("seed", range(4))
def test_noise_costs_what_it_hits_and_no_more(seed: int) -> None:
    """Random bytes, frames cut anywhere or with wrong bits; then a good frame, which is answered, each time."""
    rng = random.Random(seed)
    sent, good = b"", []
    for sequence in range(12):
        noise = rng.randbytes(rng.randrange(120))
        wrong = bytearray(request(200, Operation.WRITE, 0, rng.randbytes(rng.randrange(60))))
        wrong[rng.randrange(1, len(wrong) - 1)] ^= 1 << rng.randrange(8)
        cut = request(201, Operation.WRITE, 0, rng.randbytes(30))[: rng.randrange(30)]
        sent += rng.choice((noise, bytes(wrong), cut))
        good.append((sequence, Operation.IDENTIFY, Status.DONE, IDENTITY))
        sent += request(sequence, Operation.IDENTIFY, 0, bytes(len(IDENTITY)))
    found, held = run(sent, pause=8)
    assert [each for each in found if each in good] == good
    assert all(each[2] in list(Fault) for each in found if each not in good)
    assert not held.taken[0]
