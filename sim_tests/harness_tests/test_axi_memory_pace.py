"""Cycles of the memory behind a manager port: latency, bursts under way, orders, stalls."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.sim_tests.harness import SimulationFailed, Stall
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness_tests import axi_mover as mover
from tilewright.sim_tests.harness_tests.axi_mover import move, noise, session, set_up

#: Cycles from the start of a move to its interrupt beyond those of beats and latencies.
OVERHEAD = 4


@pytest.mark.parametrize(("read", "write"), [(1, 1), (2, 7), (60, 1), (1, 60), (100, 100)])
def test_latency_is_exact(read: int, write: int) -> None:
    with session(latency=read, write_latency=write, outstanding=64) as s:
        for bursts, length in ((1, 1), (1, 16), (8, 16), (30, 2)):
            beats = bursts * length
            start, end = move(s, bursts=bursts, length=length)
            # Addresses go out one a cycle, data follow one a cycle.
            assert end - start == OVERHEAD + read + max(beats, bursts) + write + max(beats, bursts)
            if bursts == 1:
                assert s.read(mover.READ_LATENCY) == read
                assert s.read(mover.WRITE_LATENCY) == write


def test_write_latency_is_that_of_reads_unless_it_is_told() -> None:
    with session(latency=9) as s:
        move(s)
        assert (s.read(mover.READ_LATENCY), s.read(mover.WRITE_LATENCY)) == (9, 9)


def test_jitter() -> None:
    reads, writes = set(), set()
    with session(latency=5, jitter=3, write_latency=2, write_jitter=2) as s:
        for _ in range(60):
            move(s)
            reads.add(s.read(mover.READ_LATENCY))
            writes.add(s.read(mover.WRITE_LATENCY))
    assert reads == {5, 6, 7, 8}
    assert writes == {2, 3, 4}


@pytest.mark.parametrize("outstanding", [1, 2, 5])
def test_outstanding_bursts(outstanding: int) -> None:
    with session(latency=50, outstanding=outstanding) as s:
        move(s, bursts=10, length=4)
        assert s.counters()["most_reads"] == s.counters()["most_writes"] == outstanding
        start, end = move(s, bursts=10, length=4, parts=2)
        # Each address but the first `outstanding` ones waits until the burst that makes room has ended.
        accepted: list[int] = []
        last: list[int] = []
        for index in range(10):
            room = last[index - outstanding] if index >= outstanding else -1
            accepted.append(max(accepted[-1] if accepted else -1, room) + 1)
            last.append(max(accepted[-1] + 50, last[-1] + 1 if last else 0) + 4 - 1)
        assert end - start == OVERHEAD + 1 + last[-1]


def test_held_answers() -> None:
    with session(hold_reads=True, hold_writes=True, outstanding=7) as s:
        s.memory[: 10 * 32] = noise(1, 320)
        set_up(s, bursts=10, length=4)
        s.write(mover.CONTROL, 1)
        s.run(200)
        assert (s.counters()["open_reads"], s.counters()["read_beats"]) == (7, 0)
        s.configure(AxiMemory(hold_writes=True, outstanding=7))
        s.run(200)
        counted = s.counters()
        assert (counted["open_reads"], counted["read_beats"], counted["open_writes"]) == (0, 40, 7)
        assert not s.memory[0x8000:].any()  # a write is stored with its response
        s.configure(AxiMemory())
        s.wait_interrupt(200)
        assert np.array_equal(s.memory[0x8000 : 0x8000 + 320], s.memory[:320])


@pytest.mark.parametrize(("fault", "order", "hangs"), [
    (mover.W_WAITS_FOR_AW, "any", False), (mover.W_WAITS_FOR_AW, "aw first", False),
    (mover.W_WAITS_FOR_AW, "w first", True), (mover.AW_WAITS_FOR_W, "any", False),
    (mover.AW_WAITS_FOR_W, "aw first", True), (mover.AW_WAITS_FOR_W, "w first", False),
])  # fmt: skip
def test_orders_show_who_waits_for_ready(fault: int, order: str, hangs: bool) -> None:
    with session(order=order) as s:
        set_up(s, bursts=2, length=3, fault=fault)
        s.write(mover.CONTROL, 1)
        if hangs:
            with pytest.raises(SimulationFailed, match=r"no end of the wait for the interrupt .*: read_bursts 2, "):
                s.wait_interrupt(500)
        else:
            s.wait_interrupt(500)


def test_orders_are_kept() -> None:
    with session(order="aw first", stalls={"aw": Stall(1.0)}) as s:
        set_up(s, length=4)
        s.write(mover.CONTROL, 1)
        s.run(100)
        assert (s.counters()["write_bursts"], s.counters()["write_beats"]) == (0, 0)
        s.configure(AxiMemory(order="w first", stalls={"w": Stall(1.0)}))
        s.run(100)
        assert (s.counters()["write_bursts"], s.counters()["write_beats"]) == (0, 0)
        s.configure(AxiMemory(order="any", stalls={"w": Stall(1.0)}))
        s.run(100)
        assert (s.counters()["write_bursts"], s.counters()["write_beats"]) == (1, 0)
        assert s.counters()["write_waits"] > 250


def test_valid_that_waits_for_ready_hangs() -> None:
    with session() as s:
        move(s, fault=mover.AR_WAITS_FOR_READY)
        s.configure(AxiMemory(stalls={"ar": Stall(wait_for_valid=True)}))
        set_up(s, fault=mover.AR_WAITS_FOR_READY)
        s.write(mover.CONTROL, 1)
        with pytest.raises(SimulationFailed, match="no end of the wait for the interrupt"):
            s.wait_interrupt(500)
        s.reset()
        start, end = move(s, bursts=5)
        assert end - start == OVERHEAD + 2 * (1 + 5) + 5  # an address takes two cycles


@pytest.mark.parametrize("channel", ["ar", "r", "aw", "w", "b"])
def test_stalls_of_each_channel(channel: str) -> None:
    lengths = []
    for stall in (0.0, 0.5, Stall(burst_probability=0.05, burst_length=(100, 100))):
        with session(stalls={channel: stall}) as s:
            start, end = move(s, bursts=64, length=1)
            lengths.append(end - start)
    assert lengths[0] == OVERHEAD + 2 * (1 + 64)
    assert 40 < lengths[1] - lengths[0] < 90
    assert lengths[2] - lengths[0] > 50  # the part of at least one long stall that met the move


def test_a_slow_manager_is_counted() -> None:
    with session() as s:
        move(s, bursts=4, length=16)
        assert s.counters()["read_waits"] == 0
        move(s, bursts=4, length=16, fault=mover.HALF_READY)
        assert s.counters()["read_waits"] in (63, 64)
