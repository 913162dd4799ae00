"""Matrices from packets to streams: every beat, every fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.engine.packet_read import PacketRead
from tilewright.hdl.engine.port import ValuePort
from tilewright.sim_tests.hdl.engine.packets import Matrix, order, packed, packet, random_matrix, sizes
from tilewright.sim_tests.hdl.engine.read_bench import beats, decoded
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take
from tilewright.sim_tests.hdl.engine.verilog import warnings

TARGETS = (
    ValuePort("bytes", 16, 8, 1),
    ValuePort("halves", 5, 11, 2),
    ValuePort("words", 8, 32, 4),
    ValuePort("doubles", 3, 50, 8),
)
ADDRESS_BITS = 20


class Bench:
    """Runs matrices of random codes through the block. Afterwards ``faults`` has (fault, tag) as they were told."""

    def __init__(self, bus_bytes: int, targets: tuple[ValuePort, ...] = TARGETS) -> None:
        self.bus_bytes, self.targets = bus_bytes, targets
        self.block = PacketRead(ADDRESS_BITS, bus_bytes, targets)
        self.faults: list[tuple[int, int]] = []
        self.wanted = 0
        self.cycles: dict[str, list[int]] = {}

    def run(self, work: list[tuple[int, Matrix]], *, idle: float = 0, stall: float = 0, spoil: Any = None) -> int:
        """Checks every beat of every target; ``spoil`` changes the beats of packets that are sent."""
        block = self.block
        expected: dict[str, list[tuple[list[int], bool]]] = {port.name: [] for port in self.targets}
        orders, sent = [], []
        for tag, (target, matrix) in enumerate(work):
            port = self.targets[target]
            orders.append(order(len(matrix), len(matrix[0]), port, target, tag))
            sent.append(packet(packed(matrix, port), self.bus_bytes))
            expected[port.name] += beats([[c & ((1 << port.width) - 1) for c in row] for row in matrix], port.values)
        found: dict[str, list[Any]] = {port.name: [] for port in self.targets}
        idles: list[int] = []

        async def watch(ctx: Any) -> None:
            while True:
                _, _, fault, tag, wants, now = await ctx.tick().sample(
                    block.fault, block.fault_tag, block.wants, block.idle
                )
                if fault:
                    self.faults.append((int(fault), tag))
                self.wanted += wants
                idles.append(now)

        flat = [beat for beats_of in sent for beat in beats_of]
        if spoil is not None:
            spoil(flat)
        processes = [send(block.order, orders, idle=idle), send(block.packets, flat, idle=idle, seed=9), watch]
        processes += [take(getattr(block, name), into, stall=stall, seed=5) for name, into in found.items()]
        done = lambda: all(len(found[name]) >= len(expected[name]) for name in found)  # noqa: E731
        cycles = simulate(block, processes, done, limit=20_000)
        for port in self.targets:
            assert [decoded(beat, port) for _, beat in found[port.name]] == expected[port.name]
            self.cycles[port.name] = [cycle for cycle, _ in found[port.name]]
        assert idles[-1] and not all(idles)
        assert self.wanted == len(work)
        return cycles


def random_work(seed: int, count: int) -> list[tuple[int, Matrix]]:
    """Matrices for any target; sizes at the edges of beats."""
    rng = np.random.default_rng(seed)
    work = []
    for _ in range(count):
        target = int(rng.integers(len(TARGETS)))
        lanes = TARGETS[target].values
        rows, cols = sizes(rng, (1, 4)), sizes(rng, (lanes - 1 or 1, lanes, lanes + 1))
        work.append((target, random_matrix(rng, rows, cols, 8 * TARGETS[target].container)))
    return work


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)])
@pytest.mark.parametrize("bus_bytes", [4, 8, 16, 64])
def test_matrices_come_out_of_packets(bus_bytes: int, idle: float, stall: float) -> None:
    bench = Bench(bus_bytes)
    bench.run(random_work(bus_bytes, 30 if bus_bytes > 8 else 10), idle=idle, stall=stall)
    assert bench.faults == []


def test_a_beat_a_cycle_and_no_gap_between_packets() -> None:
    port = (ValuePort("bytes", 8, 8, 1),)
    rng = np.random.default_rng(1)
    bench = Bench(8, port)
    bench.run([(0, random_matrix(rng, 4, 16, 8)) for _ in range(10)])
    cycles = bench.cycles["bytes"]
    assert len(cycles) == 80 and cycles[-1] - cycles[0] == 79


@pytest.mark.parametrize("fault", [PacketFault.TLAST_EARLY, PacketFault.TLAST_LATE, PacketFault.TKEEP])
@pytest.mark.parametrize("where", ["first", "middle"])
def test_a_packet_that_is_not_as_it_should_be_is_told(fault: PacketFault, where: str) -> None:
    """Of the second of three matrices; the data flow on."""
    rng = np.random.default_rng(2)
    work = [(0, random_matrix(rng, 5, 13, 8)) for _ in range(3)]
    at = {"first": 9, "middle": 12}[where] if fault != PacketFault.TLAST_LATE else 17

    def spoil(beats: list[dict[str, int]]) -> None:
        if fault == PacketFault.TKEEP:
            beats[at]["keep"] &= ~2
        else:
            beats[at]["last"] = int(fault == PacketFault.TLAST_EARLY)

    bench = Bench(8)
    bench.run(work, spoil=spoil)
    assert bench.faults == [(fault, 1)]


@pytest.mark.parametrize("keep", [0b0, 0b1, 0b11111111, 0b101])
def test_keep_of_a_last_beat_is_looked_at(keep: int) -> None:
    """65 bytes end with one in the last beat."""
    work = [(0, random_matrix(np.random.default_rng(3), 5, 13, 8))]
    bench = Bench(8)

    def spoil(beats: list[dict[str, int]]) -> None:
        beats[-1]["keep"] = keep

    bench.run(work, spoil=spoil)
    assert bench.faults == ([] if keep == 1 else [(PacketFault.TKEEP, 0)])


def test_verilog_is_clean() -> None:
    assert warnings(PacketRead(ADDRESS_BITS, 8, TARGETS)) == []
