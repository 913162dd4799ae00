"""Frames that are right, and every fault that one can have, against the CRC of Python's library."""

from __future__ import annotations

import random
from binascii import crc_hqx
from typing import Any

import pytest
from amaranth.sim import Simulator

from tilewright.hdl.link import FrameIn, FrameOut, framed_layout
from tilewright.hdl.link.frame import HEAD, MOST_PAYLOAD, Fault
from tilewright.sim_tests.hdl.engine.streams import send, take
from tilewright.sim_tests.hdl.link.wire import enough

LAYOUT = framed_layout()


def frame(sequence: int, operation: int, payload: bytes, port: int = 77) -> bytes:
    """A right one."""
    told = bytes((sequence, operation, port, len(payload))) + payload
    return told + crc_hqx(told, 0xFFFF).to_bytes(2, "big")


def items(frame: bytes, *, whole: bool = True) -> list[Any]:
    """A frame as its bytes come, and its end."""
    found = [LAYOUT.const({"byte": byte, "end": 0, "whole": 0}) for byte in frame]
    return [*found, LAYOUT.const({"byte": 0, "end": 1, "whole": int(whole)})]


def told(given: list[Any], *, stall: float = 0) -> tuple[list[tuple[int, int, int, Fault]], bytes]:
    """(sequence, operation, length and fault of each frame, bytes of all payloads)."""
    block = FrameIn()
    frames: list[Any] = []
    payloads: list[int] = []
    ended: list[Any] = []
    rng = random.Random(1)

    async def each(ctx: Any) -> None:
        """Takes a frame when all of its payload has been taken."""
        while True:
            ctx.set(block.frame.ready, 0)
            while not ctx.get(block.frame.valid):
                await ctx.tick()
            frame = ctx.get(block.frame.payload)
            wanted = 0 if frame.fault else frame.head.length
            while wanted:
                ctx.set(block.payload.ready, ready := rng.random() >= stall)
                _, _, valid, byte = await ctx.tick().sample(block.payload.valid, block.payload.payload)
                if ready and valid:
                    payloads.append(byte)
                    wanted -= 1
            ctx.set(block.payload.ready, 0)
            ctx.set(block.frame.ready, 1)
            frames.append(frame)
            assert not ctx.get(block.payload.valid), "there are more bytes than the frame tells"
            await ctx.tick()

    async def until(ctx: Any) -> None:
        while not ended:
            await ctx.tick()
        await ctx.tick().repeat(40 + int(MOST_PAYLOAD * (1 + 8 * stall)))

    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    simulator.add_testbench(send(block.i, given, idle=stall, ended=ended), background=True)
    simulator.add_testbench(each, background=True)
    simulator.add_testbench(until)
    simulator.run()
    found = [(each.head.sequence, each.head.operation, each.head.length, Fault(each.fault)) for each in frames]
    assert all(each.head.detail in (0, 77) or each.fault for each in frames)
    return found, bytes(payloads)


def payloads(seed: int) -> list[bytes]:
    """Of the least and the most bytes, and between."""
    rng = random.Random(seed)
    return [rng.randbytes(length) for length in (0, 1, 2, MOST_PAYLOAD - 1, MOST_PAYLOAD, *rng.choices(range(60), k=5))]


@pytest.mark.parametrize("stall", [0, 0.4])
def test_right_frames_are_told_with_their_payload(stall: float) -> None:
    every = payloads(1)
    given = [item for number, payload in enumerate(every) for item in items(frame(250 + number & 255, number, payload))]
    found, bytes_found = told(given, stall=stall)
    assert found == [(250 + number & 255, number, len(payload), Fault.NONE) for number, payload in enumerate(every)]
    assert bytes_found == b"".join(every)


def test_every_bit_of_a_frame_is_under_its_crc() -> None:
    """Whichever one is wrong, the frame gives no payload, and the one behind it is right."""
    right = frame(7, 9, b"ab")
    for bit in range(8 * len(right)):
        wrong = bytearray(right)
        wrong[bit // 8] ^= 1 << bit % 8
        found, payload = told([*items(bytes(wrong)), *items(right)])
        assert [fault for *_, fault in found] == [Fault.CRC, Fault.NONE]
        assert payload == b"ab"


def test_frames_that_are_cut_too_long_or_tell_another_length() -> None:
    right = frame(1, 2, bytes(range(20)))
    lies = bytes((3, 4, 77, 5)) + bytes(6)
    lies += crc_hqx(lies, 0xFFFF).to_bytes(2, "big")
    long = bytes((5, 6, 77, 248)) + bytes(248)
    long += crc_hqx(long, 0xFFFF).to_bytes(2, "big")
    given = [
        *items(right, whole=False), *items(right[:4]), *items(right[:1]), *items(right[:-1]), *items(lies),
        *items(long), *items(bytes(700)), *items(right),
    ]  # fmt: skip
    found, payload = told(given)
    assert [fault for *_, fault in found] == [
        Fault.CUT, Fault.CUT, Fault.CUT, Fault.CRC, Fault.LENGTH, Fault.LONG, Fault.LONG, Fault.NONE,
    ]  # fmt: skip
    assert found[2][:3] == (1, 0, 0) and found[4][:3] == (3, 4, 5)
    assert payload == bytes(range(20))


@pytest.mark.parametrize("stall", [0, 0.4])
def test_frames_are_made(stall: float) -> None:
    block = FrameOut()
    every = payloads(2)
    heads = [
        HEAD.const({"sequence": 255 - number, "operation": number, "detail": 77, "length": len(payload)})
        for number, payload in enumerate(every)
    ]
    right = [byte for number, payload in enumerate(every) for byte in (*frame(255 - number, number, payload), None)]
    found: list[Any] = []

    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    simulator.add_testbench(send(block.frame, heads, idle=stall), background=True)
    simulator.add_testbench(send(block.payload, list(b"".join(every)), idle=stall, seed=1), background=True)
    simulator.add_testbench(take(block.o, found, stall=stall, seed=2), background=True)
    simulator.add_testbench(enough(found, len(right)))
    simulator.run()
    assert [None if item.end else item.byte for _, item in found] == right
    assert all(item.whole for _, item in found if item.end)
