"""Matrices from streams to packets: every byte, every answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.packet_write import PacketWrite
from tilewright.hdl.engine.port import ValuePort
from tilewright.sim_tests.hdl.engine.packets import Matrix, order, packed, random_matrix, sizes, unpacked
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take
from tilewright.sim_tests.hdl.engine.verilog import warnings
from tilewright.sim_tests.hdl.engine.write_bench import encoded

SOURCES = (
    ValuePort("bytes", 16, 8, 1),
    ValuePort("halves", 5, 11, 2, signed=True),
    ValuePort("words", 8, 32, 4),
    ValuePort("doubles", 3, 50, 8),
)
ADDRESS_BITS = 20


def run(
    bus_bytes: int,
    work: list[tuple[int, Matrix]],
    *,
    idle: float = 0,
    stall: float = 0,
    sources: tuple[ValuePort, ...] = SOURCES,
) -> list[int]:
    """Checks every packet and every answer; gives the cycles of beats."""
    block = PacketWrite(ADDRESS_BITS, bus_bytes, sources)
    beats: dict[str, list[dict[str, int]]] = {port.name: [] for port in sources}
    orders, expected = [], []
    for tag, (source, matrix) in enumerate(work):
        orders.append(order(len(matrix), len(matrix[0]), sources[source], source, tag))
        beats[sources[source].name] += encoded(matrix, sources[source])
        expected.append(packed(matrix, sources[source]))
    found: list[Any] = []
    answers: list[Any] = []
    idles: list[int] = []
    gone: list[int] = []

    async def watch(ctx: Any) -> None:
        """Outside a packet is gone as soon as its last beat is taken."""
        cycle = 0
        while True:
            _, _, valid, ready, last, now = await ctx.tick().sample(
                block.packets.valid, block.packets.ready, block.packets.payload.last, block.idle
            )
            ends = bool(valid and ready and last)
            ctx.set(block.gone, ends)
            idles.append(now)
            if ends:
                gone.append(cycle)
            cycle += 1

    processes = [send(block.order, orders, idle=idle), take(block.packets, found, stall=stall), watch]
    processes.append(take(block.answer, answers, stall=stall, seed=3))
    processes += [send(getattr(block, name), given, idle=idle, seed=7) for name, given in beats.items()]
    simulate(block, processes, lambda: len(answers) == len(work), limit=20_000)
    assert unpacked([beat for _, beat in found], bus_bytes) == expected
    assert [(answer.tag, answer.resp) for _, answer in answers] == [(tag % 256, 0) for tag in range(len(work))]
    assert all(cycle > end for (cycle, _), end in zip(answers, gone, strict=True)), "none before its packet is gone"
    assert idles[-1] and not all(idles)
    return [cycle for cycle, _ in found]


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)])
@pytest.mark.parametrize("bus_bytes", [4, 8, 16, 64])
def test_packets_are_made_of_matrices(bus_bytes: int, idle: float, stall: float) -> None:
    rng = np.random.default_rng(bus_bytes)
    work = []
    for _ in range(30 if bus_bytes > 8 else 10):
        source = int(rng.integers(len(SOURCES)))
        lanes = SOURCES[source].values
        rows, cols = sizes(rng, (1, 4)), sizes(rng, (lanes - 1, lanes, lanes + 1))
        work.append((source, random_matrix(rng, rows, cols, SOURCES[source].width)))
    run(bus_bytes, work, idle=idle, stall=stall)


def test_a_beat_a_cycle_and_no_gap_between_packets() -> None:
    rng = np.random.default_rng(1)
    work = [(0, random_matrix(rng, 4, 16, 8)) for _ in range(10)]
    cycles = run(8, work, sources=(ValuePort("bytes", 8, 8, 1),))
    assert len(cycles) == 80 and cycles[-1] - cycles[0] == 79


def test_verilog_is_clean() -> None:
    assert warnings(PacketWrite(ADDRESS_BITS, 8, SOURCES)) == []
