"""Matrices from memory to streams, against boxes by definition."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.engine.read_mover import ReadMover
from tilewright.sim_tests.hdl.axi.memory import Memory, Pace
from tilewright.sim_tests.hdl.engine.boxes import Box, Tensor, matrix, random_box
from tilewright.sim_tests.hdl.engine.read_bench import ReadBench, Work
from tilewright.sim_tests.hdl.engine.verilog import warnings

TARGETS = (
    ValuePort("a", 16, 8, 1),
    ValuePort("b", 5, 11, 2),
    ValuePort("c", 8, 32, 4),
    ValuePort("d", 3, 50, 8),
)
PACES = {
    "fast": (Pace(latency=3), 0.0, 0.0),
    "slow memory": (Pace(latency=20, jitter=30, address_stall=0.5, data_stall=0.5), 0.0, 0.0),
    "slow consumer": (Pace(latency=3), 0.0, 0.6),
    "all slow": (Pace(latency=10, jitter=9, address_stall=0.3, data_stall=0.3), 0.5, 0.3),
}


def random_work(seed: int, count: int, targets: tuple[ValuePort, ...] = TARGETS) -> Work:
    """Matrices anywhere, aligned or not."""
    rng = np.random.default_rng(seed)
    work = []
    for _ in range(count):
        target = int(rng.integers(0, len(targets)))
        element = targets[target].container.bit_length() - 1
        base = int(rng.integers(0, 1 << 39))
        if rng.integers(0, 2):
            base = base // 64 * 64
        work.append((target, random_box(rng, base, element)))
    return work


@pytest.mark.parametrize("bus_bits", [32, 64, 128, 256, 512])
def test_bus_widths(bus_bits: int) -> None:
    bench = ReadBench(TARGETS, Memory(1 << 16, bus_bits // 8, 16, 8, Pace(latency=4, data_stall=0.1)))
    bench.run(random_work(bus_bits, 20), stall=0.1)


@pytest.mark.parametrize("name", PACES)
def test_paces(name: str) -> None:
    pace, idle, stall = PACES[name]
    bench = ReadBench(TARGETS, Memory(1 << 16, 8, 4, 4, pace))
    bench.run(random_work(7, 14), idle=idle, stall=stall)


@pytest.mark.parametrize(("max_burst", "outstanding"), [(1, 1), (3, 2), (256, 64)])
def test_bursts(max_burst: int, outstanding: int) -> None:
    memory = Memory(1 << 16, 16, max_burst, outstanding, Pace(latency=2))
    bench = ReadBench(TARGETS[:1], memory)
    size = 5000 if max_burst > 1 else 600
    bench.run([(0, matrix(4096 * n - 70 * n, 4096, 1, size)) for n in range(2)] + random_work(3, 8, TARGETS[:1]))
    assert max(count for _, count in memory.bursts) == min(max_burst, 256)


@pytest.mark.parametrize("offset", [0, 1, 15])
def test_no_bubble(offset: int) -> None:
    memory = Memory(1 << 16, 16, 32, 32, Pace(latency=60))
    bench = ReadBench(TARGETS[:1], memory)
    bench.run([(0, matrix(4096 * n + offset, 512, 64, 64)) for n in range(3)])
    beats = 3 * 64 * (4 if offset == 0 else 5)
    assert len(memory.beat_cycles) == beats
    assert memory.beat_cycles[-1] - memory.beat_cycles[0] == beats - 1


@pytest.mark.parametrize("offset", [0, 5])
def test_rows_that_follow_each_other_are_asked_for_together(offset: int) -> None:
    memory = Memory(1 << 16, 16, 32, 32, Pace(latency=60))
    bench = ReadBench(TARGETS[:1], memory)
    bench.run([(0, matrix(offset, 16, 256, 16)), (0, matrix(8192 + offset, 48, 64, 48))])
    assert len(memory.bursts) <= 41
    # A row takes as many cycles as it touches beats of R.
    cycles = 256 + 192 if offset == 0 else 2 * 256 + 4 * 64
    assert memory.beat_cycles[-1] - memory.beat_cycles[0] <= cycles


def test_taps_that_follow_each_other_are_asked_for_together() -> None:
    tensor = Tensor(3, line=3, tap_x_count=7, tap_x_stride=3, tap_y_stride=700, out_x_stride=6)
    memory = Memory(1 << 16, 16, 32, 32)
    ReadBench(TARGETS[:1], memory).run([(0, Box(tensor, 1, 147))])
    assert len(memory.bursts) == 7


@pytest.mark.parametrize("values", [32, 64, 24])
def test_no_bubble_to_wider_beats(values: int) -> None:
    memory = Memory(1 << 16, 16, 32, 32, Pace(latency=20))
    ReadBench([ValuePort("a", values, 8, 1)], memory).run([(0, matrix(0, 512, 40, 192))])
    assert memory.beat_cycles[-1] - memory.beat_cycles[0] == 40 * 12 - 1


def test_narrow_beats_come_one_a_cycle() -> None:
    bench = ReadBench([ValuePort("a", 4, 8, 1)], Memory(1 << 16, 16, 32, 32, Pace(latency=20)))
    bench.run([(0, matrix(0, 64, 16, 64))])
    cycles = bench.cycles["a"]
    assert cycles == list(range(cycles[0], cycles[0] + 16 * 16))


def test_two_targets_take_turns_without_a_bubble() -> None:
    memory = Memory(1 << 16, 16, 32, 32, Pace(latency=60))
    targets = [ValuePort("a", 16, 8, 1), ValuePort("b", 16, 8, 1)]
    ReadBench(targets, memory).run([(n % 2, matrix(4096 * n, 512, 16, 64)) for n in range(8)])
    assert memory.beat_cycles[-1] - memory.beat_cycles[0] == 8 * 64 - 1


def test_latency_from_order_to_first_beat() -> None:
    memory = Memory(1 << 16, 16, 32, 32, Pace(latency=0))
    bench = ReadBench(TARGETS[:1], memory)
    bench.run([(0, matrix(0, 16, 1, 16))])
    assert bench.cycles["a"] == [ReadMover.latency + 1]  # the memory answers in the cycle after an address


def test_padding_is_not_read() -> None:
    rng = np.random.default_rng(5)
    memory = Memory(1 << 16, 16, 32, 32)
    bench = ReadBench(TARGETS, memory)
    box = next(b for b in iter(lambda: random_box(rng, 64, 0), None) if b.elements()[1].sum() == 0 and b.cols > 5)
    bench.run([(0, box)])
    assert memory.bursts == []


def test_empty_matrices_give_nothing() -> None:
    bench = ReadBench(TARGETS, Memory(1 << 16, 16, 32, 32))
    bench.run([(0, matrix(0, 16, 0, 7)), (1, matrix(0, 16, 7, 0, 1)), (0, matrix(5, 16, 2, 3))])


def test_errors_are_told_and_data_flow_on() -> None:
    errors = {4: 2, 5: 3, 70: 2}
    memory = Memory(1 << 16, 16, 32, 32, errors=errors)
    bench = ReadBench(TARGETS, memory)
    bench.run([(0, matrix(0, 64, 2, 64)), (2, matrix(512, 64, 1, 16, 2)), (0, matrix(1024, 64, 2, 64))])
    assert bench.errors == [(0, 2), (0, 3), (2, 2)]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("no name", 1, 1, 1), "name must be an identifier, got 'no name'"),
        (("a", 0, 1, 1), "values must be at least 1, got 0"),
        (("a", 1, 9, 1), r"width must be 1\.\.8 bits in 1 bytes, got 9"),
        (("a", 1, 1, 3), "container must be one of 1, 2, 4, 8 bytes, got 3"),
    ],
)
def test_a_target_that_is_not_legal(fields: tuple[str, int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ValuePort(*fields)


def test_targets_that_are_not_legal() -> None:
    with pytest.raises(ValueError, match=r"targets must be 1\.\.8 streams, got 0"):
        ReadMover(128, 40, 32, 32, [])
    with pytest.raises(ValueError, match="targets must have names of their own, got a, a"):
        ReadMover(128, 40, 32, 32, [TARGETS[0], TARGETS[0]])
    with pytest.raises(ValueError, match=r"targets must not be called as another port is \(ar, beat, .*\), got r"):
        ReadMover(128, 40, 32, 32, [ValuePort("r", 1, 1, 1)])
    with pytest.raises(ValueError, match="bus_bits must be one of 32, 64, 128, 256, 512, got 16"):
        ReadMover(16, 40, 32, 32, TARGETS)


@pytest.mark.parametrize(
    ("bus_bits", "address_bits", "max_burst", "outstanding", "streams"),
    [(128, 40, 32, 32, 1), (32, 64, 1, 1, 4), (512, 12, 256, 64, 2)],
)
def test_verilog_is_clean(bus_bits: int, address_bits: int, max_burst: int, outstanding: int, streams: int) -> None:
    assert warnings(ReadMover(bus_bits, address_bits, max_burst, outstanding, TARGETS[:streams])) == []
