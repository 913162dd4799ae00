"""Sessions: exact cycles, registers, interrupts, resets."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from tilewright.sim_tests.harness import InterfaceError, SimulationFailed
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness.bench_sources import wrapper
from tilewright.sim_tests.harness_tests import axi_mover as mover
from tilewright.sim_tests.harness_tests.axi_mover import build_mover, move, session, set_up


def test_cycles_of_writes_and_interrupts_are_exact() -> None:
    with session() as s:
        assert s.cycle == 0
        for index in range(20):
            order = ("any", "aw first", "w first")[index % 3]
            set_up(s, bursts=1 + index % 3, fault=0)
            s.run(index)
            start = s.write(mover.CONTROL, 1, order=order, delay=index % 7, patience=index % 4)
            end = s.wait_interrupt(1000)
            assert s.interrupt and s.cycle >= end + 1
            s.run(index % 5)
            assert s.wait_interrupt(0) == end
            assert (s.read(mover.STARTED), s.read(mover.RAISED)) == (start, end)
            s.write(mover.CONTROL, 2)
            s.run(2)
            assert not s.interrupt


def test_an_interrupt_may_be_waited_for_in_steps() -> None:
    with session() as s:
        set_up(s, bursts=3, fault=0)
        start = s.write(mover.CONTROL, 1)
        steps = 0
        while (end := s.interrupt_within(1, time.monotonic())) is None:
            steps += 1
            assert not s.interrupt
        assert steps > 3 and s.interrupt
        assert (s.read(mover.STARTED), s.read(mover.RAISED)) == (start, end)
        assert s.interrupt_within(0, time.monotonic()) == end


def test_run_runs_exactly_so_long() -> None:
    with session() as s:
        for cycles in (0, 1, 2, 100, 4096, 10_000):
            before = s.cycle
            s.run(cycles)
            assert s.cycle == before + cycles


def test_the_first_edge_after_reset_is_quiet() -> None:
    with session() as s:
        assert s.write(mover.SOURCE, 7) == 1
        s.reset(3)
        before = s.cycle
        assert s.write(mover.SOURCE, 7) == before + 1
        s.run(1)
        before = s.cycle
        assert s.write(mover.SOURCE, 7) == before


@pytest.mark.parametrize(("order", "late"), [("any", 0), ("aw first", 5), ("w first", 0)])
def test_order_of_address_and_data(order: str, late: int) -> None:
    with session() as s:
        s.run(3)
        before = s.cycle
        assert s.write(mover.SOURCE, 0x1234_5678, order=order, delay=5) == before + late
        # The write happens an edge after both were accepted, the response is there an edge later.
        assert s.cycle == before + (0 if order == "any" else 5) + 3
        assert s.read(mover.SOURCE) == 0x1234_5678


def test_patience_and_delay() -> None:
    with session() as s:
        s.run(3)
        for patience in (0, 1, 2, 9):
            before = s.cycle
            s.write(mover.SOURCE, 1, patience=patience)
            assert s.cycle == before + 3 + patience
            before = s.cycle
            s.read(mover.SOURCE, patience=patience)
            assert s.cycle == before + 2 + patience
            before = s.cycle
            s.read(mover.SOURCE, patience=patience, delay=4)
            assert s.cycle == before + 2 + patience + 4


def test_strobes() -> None:
    with session() as s:
        s.write(mover.SOURCE, 0x11223344)
        s.write(mover.SOURCE, 0xAABBCCDD, strobes=0b0101)
        assert s.read(mover.SOURCE) == 0x11BB33DD


def test_responses_of_registers() -> None:
    with session() as s:
        s.write(0x40, 1, response="SLVERR")
        s.read(0x40, response="DECERR")
        with pytest.raises(
            SimulationFailed, match="the write of 0x1 to register 0x40 was answered SLVERR, expected OKAY"
        ):
            s.write(0x40, 1)
        with pytest.raises(SimulationFailed, match="the read of register 0x4 was answered OKAY, expected SLVERR"):
            s.read(4, response="SLVERR")
        s.run(1)


def test_plain_inputs() -> None:
    with AxiSession(build_mover(), inputs={"start_value": 0x55}) as s:
        assert s.read(mover.CONTROL) >> 6 == 0x55


def test_reset_forgets_what_was_under_way_and_keeps_the_memory() -> None:
    with session(latency=50) as s:
        s.memory[:] = 7
        set_up(s, bursts=4, length=16)
        s.write(mover.CONTROL, 1)
        s.run(30)
        assert s.counters()["open_reads"] == 4
        s.reset()
        assert s.counters()["open_reads"] == 0
        assert s.read(mover.SOURCE) == 0
        assert np.all(s.memory == 7)
        move(s, bursts=4, length=16)


def test_same_seed_same_run_and_another_one_another() -> None:
    def run(seed: int) -> tuple[int, int]:
        settings = AxiMemory(5, 9, stalls={"ar": 0.3, "r": 0.3, "w": 0.3, "b": 0.3})
        with AxiSession(build_mover(), seed=seed, settings=settings) as s:
            return move(s, bursts=8, length=4)

    assert run(3) == run(3)
    assert len({run(seed) for seed in range(1, 6)}) > 1


def test_a_large_memory_costs_nothing_where_it_is_not_used() -> None:
    with AxiSession(build_mover(), memory_bytes=512 << 20, base=1 << 30) as s:
        s.memory[-4096:] = np.arange(4096) % 251
        move(s, source=(1 << 30) + (512 << 20) - 4096, target=1 << 30, bursts=32, length=16)
        assert np.array_equal(s.memory[:4096], s.memory[-4096:])
    assert s.memory[1] == 1  # what is left can be looked at


def test_load() -> None:
    with AxiSession(build_mover(), base=0x1000) as s:
        s.load(0x1010, np.arange(4, dtype=np.int32))
        assert s.memory[0x10:0x20].view(np.int32).tolist() == [0, 1, 2, 3]
        with pytest.raises(InterfaceError, match=r"bytes 0xfff\.\.0xfff are not in the memory"):
            s.load(0xFFF, b"x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": 0}, "seed must be 1..2147483647, got 0; nearest is 1"),
        ({"memory_bytes": 5000}, r"memory_bytes must be a multiple of 4096 up to 2\^32, got 5000; nearest is 8192"),
        ({"base": 5}, "base must be a multiple of 4096 that 64 bits hold, got 5; nearest is 0"),
        ({"reset": 0}, "a session needs at least 1 cycle of reset, got 0; nearest is 1"),
        ({"interrupt": "done"}, "mover has no plain output done of one bit"),
        ({"inputs": {"start_value": 128}}, "mover has no plain input start_value that holds 128"),
        ({"inputs": {"other": 1}}, "mover has no plain input other that holds 1"),
        ({"manager": "axi"}, "stream m_axi_ar of mover belongs to no AXI port"),
    ],
)
def test_arguments_that_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InterfaceError, match=message):
        AxiSession(build_mover(), **arguments)  # type: ignore[arg-type]


def test_calls_that_are_refused() -> None:
    with session() as s:
        with pytest.raises(InterfaceError, match="a register has 32 bits, got 4294967296"):
            s.write(0, 1 << 32)
        with pytest.raises(InterfaceError, match=r"order of a write must be one of .*, got 'aw'; nearest is 'any'"):
            s.write(0, 1, order="aw")
    with (
        AxiSession(build_mover(), interrupt=None) as s,
        pytest.raises(InterfaceError, match="mover has no interrupt"),
    ):
        s.wait_interrupt(1)


def test_active_low_reset_is_told_from_active_high() -> None:
    low = build_mover().spec
    high = replace(low, interface=replace(low.interface, reset_active_low=False))
    assert low.key() != high.key()
    assert ".aresetn(!rst)" in wrapper(low.interface) and ".aresetn(rst)" in wrapper(high.interface)
