"""Matrices from streams to memory, against boxes by definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.engine.write_mover import WriteMover
from tilewright.sim_tests.hdl.axi.memory import Memory, Pace
from tilewright.sim_tests.hdl.engine.boxes import matrix, random_box
from tilewright.sim_tests.hdl.engine.verilog import warnings
from tilewright.sim_tests.hdl.engine.write_bench import Work, WriteBench

SOURCES = (
    ValuePort("bytes", 16, 8, 1),
    ValuePort("halves", 5, 11, 2, signed=True),
    ValuePort("words", 8, 32, 4),
    ValuePort("doubles", 3, 50, 8),
)
PACES = {
    "fast": (Pace(latency=3), 0.0, 0.0),
    "slow memory": (Pace(latency=20, jitter=30, address_stall=0.5, data_stall=0.5), 0.0, 0.0),
    "slow source": (Pace(latency=3), 0.6, 0.0),
    "all slow": (Pace(latency=10, jitter=9, address_stall=0.3, data_stall=0.3), 0.5, 0.5),
}


def random_work(seed: int, count: int, sources: tuple[ValuePort, ...] = SOURCES) -> Work:
    """Matrices anywhere, aligned or not."""
    rng = np.random.default_rng(seed)
    work = []
    for _ in range(count):
        source = int(rng.integers(0, len(sources)))
        base = int(rng.integers(0, 1 << 39))
        if rng.integers(0, 2):
            base = base // 64 * 64
        work.append((source, random_box(rng, base, sources[source].container.bit_length() - 1)))
    return work


@pytest.mark.parametrize("bus_bits", [32, 64, 128, 256, 512])
def test_bus_widths(bus_bits: int) -> None:
    bench = WriteBench(SOURCES, Memory(1 << 16, bus_bits // 8, 16, 8, Pace(latency=4, data_stall=0.1)))
    bench.run(random_work(bus_bits, 20), idle=0.05)


@pytest.mark.parametrize("first", ["aw", "w", "any"])
@pytest.mark.parametrize("name", PACES)
def test_paces(name: str, first: str) -> None:
    pace, idle, stall = PACES[name]
    bench = WriteBench(SOURCES, Memory(1 << 16, 8, 4, 4, pace))
    bench.run(random_work(7, 10), idle=idle, stall=stall, first=first)


@pytest.mark.parametrize("first", ["aw", "w"])
@pytest.mark.parametrize(("max_burst", "outstanding"), [(1, 1), (3, 2), (256, 64)])
def test_bursts(max_burst: int, outstanding: int, first: str) -> None:
    memory = Memory(1 << 16, 16, max_burst, outstanding, Pace(latency=1))
    bench = WriteBench(SOURCES[:1], memory)
    size = 5000 if max_burst > 1 else 600
    work = [(0, matrix(4096 * n - 70 * n, 4096, 1, size)) for n in range(2)] + random_work(3, 8, SOURCES[:1])
    bench.run(work, first=first)
    assert max(count for _, count in memory.bursts) == min(max_burst, 256)


@pytest.mark.parametrize("offset", [0, 1, 15])
@pytest.mark.parametrize("values", [16, 64])
def test_no_bubble(offset: int, values: int) -> None:
    memory = Memory(1 << 16, 16, 32, 32, Pace(latency=60))
    bench = WriteBench([ValuePort("a", values, 8, 1)], memory)
    bench.run([(0, matrix(4096 * n + offset, 512, 64, 64)) for n in range(3)])
    beats = 3 * 64 * (4 if offset == 0 else 5)
    assert len(memory.beat_cycles) == beats
    assert memory.beat_cycles[-1] - memory.beat_cycles[0] == beats - 1


@pytest.mark.parametrize("offset", [0, 5])
def test_rows_that_follow_each_other_are_written_together(offset: int) -> None:
    memory = Memory(1 << 16, 16, 32, 32, Pace(latency=20))
    bench = WriteBench(SOURCES[:1], memory)
    bench.run([(0, matrix(offset, 16, 256, 16)), (0, matrix(8192 + offset, 48, 64, 48))])
    assert max(count for _, count in memory.bursts) >= 24
    # Each burst of up to 8 rows is of one beat more when it does not begin with one; some are cut at 4096 bytes.
    assert len(memory.bursts) <= 41
    assert memory.beat_cycles[-1] - memory.beat_cycles[0] == len(memory.beat_cycles) - 1


def test_addresses_do_not_wait_for_data() -> None:
    memory = Memory(1 << 16, 16, 32, 32)
    bench = WriteBench(SOURCES[:1], memory)
    bench.run([(0, matrix(0, 16, 1, 16))])
    assert bench.first_address == WriteMover.address_latency
    # Values were there before.
    assert memory.beat_cycles == [WriteMover.latency]


def test_padding_is_not_written() -> None:
    rng = np.random.default_rng(5)
    box = next(b for b in iter(lambda: random_box(rng, 64, 0), None) if b.elements()[1].sum() == 0 and b.cols > 5)
    memory = Memory(1 << 16, 16, 32, 32)
    WriteBench(SOURCES, memory).run([(0, box), (0, matrix(7, 9, 3, 5)), (0, replace(box, rows=1))])
    assert len(memory.bursts) == 3


def test_empty_matrices_are_answered() -> None:
    bench = WriteBench(SOURCES, Memory(1 << 16, 16, 32, 32, Pace(latency=30)))
    bench.run(
        [(0, matrix(0, 16, 0, 7)), (0, matrix(5, 16, 2, 3)), (1, matrix(0, 16, 7, 0, 1)), (2, matrix(0, 0, 0, 0))]
    )


def test_answers_tell_the_worst_response_of_each_order() -> None:
    errors = {0: 2, 5: 3, 6: 2, 64: 1, 200: 2}
    memory = Memory(1 << 16, 16, 1, 32, errors=errors)
    bench = WriteBench(SOURCES, memory)
    orders = [matrix(0, 64, 2, 64), matrix(512, 64, 1, 64), matrix(1024, 64, 2, 64), matrix(3199, 9, 2, 3)]
    bench.run([(0, box) for box in orders])
    assert bench.answers == [(0, 3), (1, 0), (2, 1), (3, 2)]


def test_parameters() -> None:
    with pytest.raises(ValueError, match=r"sources must be 1\.\.8 streams, got 0"):
        WriteMover(128, 40, 32, 32, [])
    with pytest.raises(ValueError, match=r"sources must not be called as another port is \(answer, .*\), got b"):
        WriteMover(128, 40, 32, 32, [ValuePort("b", 1, 1, 1)])
    with pytest.raises(ValueError, match=r"max_burst must be 1\.\.256, got 300"):
        WriteMover(128, 40, 300, 32, SOURCES)


@pytest.mark.parametrize(
    ("bus_bits", "address_bits", "max_burst", "outstanding", "streams"),
    [(128, 40, 32, 32, 1), (32, 64, 1, 1, 4), (512, 12, 256, 64, 2)],
)
def test_verilog_is_clean(bus_bits: int, address_bits: int, max_burst: int, outstanding: int, streams: int) -> None:
    assert warnings(WriteMover(bus_bits, address_bits, max_burst, outstanding, SOURCES[:streams])) == []
