"""Frames to bytes and back, against the package ``cobs``; noise, truncated frames, frames without end."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.sim import Simulator
from cobs import cobs

from tilewright.hdl.link import CobsDecode, CobsEncode, framed_layout
from tilewright.sim_tests.hdl.engine.streams import send, take
from tilewright.sim_tests.hdl.link.wire import enough

LAYOUT = framed_layout()


def frames(count: int, seed: int, most: int = 253) -> list[bytes]:
    """Of all lengths, with few zeros and many."""
    rng = random.Random(seed)
    lengths = [1, 2, most - 1, most, *(rng.randint(1, most) for _ in range(count - 4))]
    found = []
    for length in lengths:
        zeros = rng.choice((0, 0.05, 0.5, 1))
        found.append(bytes(0 if rng.random() < zeros else rng.randint(1, 255) for _ in range(length)))
    return found


def through(block: Any, payloads: list[Any], count: int, *, idle: float = 0, stall: float = 0) -> list[Any]:
    """What comes out of ``block``: ``count`` payloads, and that no more come."""
    found: list[Any] = []

    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    simulator.add_testbench(send(block.i, payloads, idle=idle), background=True)
    simulator.add_testbench(take(block.o, found, stall=stall, seed=1), background=True)
    simulator.add_testbench(enough(found, count))
    simulator.run()
    assert len(found) == count
    return [payload for _, payload in found]


def items(frame: bytes, *, whole: bool = True) -> list[Any]:
    """A frame as the encoder takes it."""
    return [*({"byte": byte, "end": 0, "whole": 0} for byte in frame), {"byte": 0, "end": 1, "whole": int(whole)}]


def decoded(found: list[Any]) -> list[tuple[bytes, bool]]:
    """Frames of what the decoder gave, and whether they came whole."""
    every, begun = [], bytearray()
    for item in found:
        if item.end:
            every.append((bytes(begun), bool(item.whole)))
            begun.clear()
        else:
            begun.append(item.byte)
    assert not begun
    return every


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3)])
def test_frames_are_decoded(idle: float, stall: float) -> None:
    sent = [*frames(6, 1), *frames(4, 2, most=600)]
    wire = [byte for frame in sent for byte in (*cobs.encode(frame), 0)]
    found = through(CobsDecode(), wire, sum(len(frame) + 1 for frame in sent), idle=idle, stall=stall)
    assert decoded(found) == [(frame, True) for frame in sent]


def test_a_frame_cut_short_is_told_and_the_next_one_comes() -> None:
    rng = random.Random(3)
    for frame in frames(8, 3, most=80):
        wire = cobs.encode(frame)
        cut = rng.randrange(1, len(wire) + 1)
        try:
            right: bytes | None = cobs.decode(wire[:cut])
        except cobs.DecodeError:
            right = None
        follows = b"after"
        found: list[Any] = []
        block = CobsDecode()
        simulator = Simulator(block)
        simulator.add_clock(1e-6)
        ended: list[Any] = []
        simulator.add_testbench(send(block.i, [0, 0, *wire[:cut], 0, *cobs.encode(follows), 0], ended=ended))
        simulator.add_testbench(take(block.o, found), background=True)
        simulator.add_testbench(_few)
        simulator.run()
        told = decoded([payload for _, payload in found])
        assert told[-1] == (follows, True)
        assert len(told) == 2 and (told[0] == (right, True) if right is not None else not told[0][1])


async def _few(ctx: Any) -> None:
    await ctx.tick().repeat(400)


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3)])
def test_frames_are_encoded(idle: float, stall: float) -> None:
    sent = frames(6, 4)
    right = [byte for frame in sent for byte in (0, *cobs.encode(frame), 0)]
    given = [LAYOUT.const(item) for frame in sent for item in items(frame)]
    assert through(CobsEncode(), given, len(right), idle=idle, stall=stall) == right


def test_frames_that_are_not_whole_and_empty_ones_are_not_sent() -> None:
    given = [LAYOUT.const(item) for item in (*items(b"gone", whole=False), *items(b""), *items(b"kept"))]
    assert through(CobsEncode(), given, 7) == [0, *cobs.encode(b"kept"), 0]


def test_a_frame_comes_while_the_one_before_is_sent() -> None:
    """Two come before a byte has left, and leave without a pause but for that between frames."""
    block, ended, found = CobsEncode(), list[Any](), list[Any]()
    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    given = [LAYOUT.const(item) for item in (*items(b"one"), *items(b"the other"))]
    simulator.add_testbench(send(block.i, given, ended=ended), background=True)

    async def later(ctx: Any) -> None:
        await ctx.tick().repeat(40)
        assert ended, "the second frame waits for the first"
        ctx.set(block.o.ready, 1)
        for _ in range(24):
            _, _, valid, byte = await ctx.tick().sample(block.o.valid, block.o.payload)
            found.append(byte if valid else None)

    simulator.add_testbench(later)
    simulator.run()
    one, other = ([0, *cobs.encode(frame), 0] for frame in (b"one", b"the other"))
    assert found[: len(one) + 1 + len(other)] == [*one, None, *other]
