"""The program out of its packet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.engine.packet_fetch import PacketFetch
from tilewright.sim_tests.hdl.engine.packets import packet
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

DEPTH = 4


def run(
    bus_bytes: int, count: int, told: int, *, stall: float = 0, spoil: Any = None
) -> tuple[list[int], list[int], int, int]:
    """Instructions that came, faults, how often a packet was wanted, whether all was done; ``count`` are sent."""
    block = PacketFetch(bus_bytes, DEPTH)
    data = np.random.default_rng(count).bytes(64 * count)
    beats = packet(data, bus_bytes)
    if spoil is not None:
        spoil(beats)
    found: list[Any] = []
    faults: list[int] = []
    passed: list[tuple[int, int]] = []

    async def control(ctx: Any) -> None:
        await ctx.tick()
        ctx.set(block.count, told)
        ctx.set(block.start, 1)
        await ctx.tick()
        ctx.set(block.start, 0)
        ctx.set(block.count, 0)
        for _ in range(400):
            _, _, fault, wants, done = await ctx.tick().sample(block.fault, block.wants, block.done)
            if fault:
                faults.append(int(fault))
            passed.append((wants, done))

    processes = [send(block.packet, beats), control, take(block.o, found, stall=stall)]
    simulate(block, processes, lambda: len(passed) == 400, limit=500)
    got = [word for _, word in found]
    expected = [int.from_bytes(data[64 * at : 64 * at + 64], "little") for at in range(count)]
    assert got == expected[: len(got)]
    return got, faults, sum(wants for wants, _ in passed), passed[-1][1]


@pytest.mark.parametrize("stall", [0, 0.7])
@pytest.mark.parametrize("bus_bytes", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("count", [1, 2, 5, 11])
def test_instructions(bus_bytes: int, count: int, stall: float) -> None:
    got, faults, wants, done = run(bus_bytes, count, count, stall=stall)
    assert (len(got), faults, wants, done) == (count, [], 1, 1)


def test_none() -> None:
    got, faults, wants, done = run(8, 1, 0)
    assert (got, faults, wants, done) == ([], [], 0, 1)


@pytest.mark.parametrize("bus_bytes", [8, 64])
def test_packet_of_another_length(bus_bytes: int) -> None:
    got, faults, _, _ = run(bus_bytes, 3, 5)
    assert (len(got), faults) == (2, [PacketFault.TLAST_EARLY])
    got, faults, _, _ = run(bus_bytes, 5, 3)
    assert (len(got), faults) == (2, [PacketFault.TLAST_LATE])


@pytest.mark.parametrize("beat", [0, 9, 39])
def test_byte_that_is_not_kept(beat: int) -> None:
    def spoil(beats: list[dict[str, int]]) -> None:
        beats[beat]["keep"] = 0x7F

    got, faults, _, _ = run(8, 5, 5, spoil=spoil)
    assert (len(got), faults) == (beat // 8, [PacketFault.TKEEP])
