"""Beginnings and ends of runs of the engine with AXI4-Stream ports: its program, the window, aborts, resets, stalls."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tilewright.generators.emit.engine import constants
from tilewright.generators.program.encode import encode
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.reference.engine_packets import packets
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import Opcode, Target
from tilewright.sim_tests.harness.axis_dma import Part
from tilewright.sim_tests.harness.axis_ports import ROLES
from tilewright.sim_tests.harness.stall import Stall
from tilewright.sim_tests.system.engine_probe import PROGRAM
from tilewright.sim_tests.system.stream_engines import DMA, StreamProbe, stream_engine

STALLS = {
    "none": {},
    "all often": dict.fromkeys(ROLES, Stall(0.5)),
    "program seldom": {"s_axis_program": Stall(0.95)},
    "loads seldom": {"s_axis_load": Stall(0.9)},
    "stores seldom": {"m_axis_store": Stall(0.9)},
    "shy stores": {"m_axis_store": Stall(0.3, wait_for_valid=True)},
    "long pauses": dict.fromkeys(ROLES, Stall(0.0, 0.02, (100, 400))),
}


@pytest.mark.parametrize("stalls", STALLS)
def test_known_program(stalls: str) -> None:
    with StreamProbe(replace(DMA, stalls=STALLS[stalls])) as probe:
        for _ in range(2):
            probe.works()


def test_registers_tell_what_the_engine_is() -> None:
    with StreamProbe() as probe:
        for name, value in constants(stream_engine().config).items():
            assert probe.read(name) == value
        assert probe.read("port") >> 16 == 0, "no bursts: streams"


def test_counters_and_packets_are_those_of_the_program() -> None:
    with StreamProbe() as probe:
        probe.works()
        counted, moved = probe.counters(), probe.dma.counters()
        found = packets(probe.known.program, stream_engine().config)
        beats = [sum(-(-packet.size // 8) for packet in group) for group in (found.loads, found.stores)]
        assert (counted["read_beats"], counted["write_beats"]) == tuple(beats)
        assert counted["fetch_beats"] == 8 * len(probe.known.instructions) == moved["program_beats"]
        assert (moved["load_beats"], moved["store_beats"]) == tuple(beats)
        assert (moved["load_done"], moved["store_done"]) == (len(found.loads), len(found.stores))
        assert moved["surplus"] == moved["load_waiting"] == moved["store_waiting"] == 0


def test_program_without_end_ends_after_its_count() -> None:
    with StreamProbe() as probe:
        program = probe.known.instructions[:-1]
        assert probe.run(program).done
        probe.works()


@pytest.mark.parametrize("rest", [1, 2, 30])
def test_nothing_is_run_after_end(rest: int) -> None:
    """What comes behind END in its packet is dropped."""
    with StreamProbe() as probe:
        garbage = np.full(64 * rest, 255, dtype=np.uint8)
        end = encode([Instruction(Opcode.END, {})]).ravel()
        assert probe.run(np.concatenate([end, garbage])).done
        assert probe.run(np.concatenate([probe.known.program, garbage])).done
        assert probe.dma.counters()["program_waiting"] == 0
        expected = probe.known.expected.copy()
        expected[PROGRAM + len(probe.known.program) :][: len(garbage)] = garbage
        probe.same(expected)
        probe.works()


def test_instructions_through_the_window() -> None:
    with StreamProbe() as probe:
        probe.start(count=0)
        for instruction in probe.known.program.reshape(-1, 64).view("<u4"):
            for word, value in enumerate(instruction):
                while not probe.accepts(f"window_{word}", int(value)):
                    pass
        assert probe.finish().done
        probe.same(probe.known.expected)
        assert probe.counters()["fetch_beats"] == 0
        probe.works()


def test_packets_wait_until_they_are_wanted() -> None:
    """Nothing is taken before a run, nor between two."""
    with StreamProbe() as probe:
        for _ in range(2):
            probe.session.load(0, probe.known.memory)
            probe.dma.begin()
            before = probe.dma.counters()
            probe.queue(probe.known.program, {})
            probe.session.run(500)
            after = probe.dma.counters()
            assert before["load_beats"] == after["load_beats"] and before["program_beats"] == after["program_beats"]
            probe.write("interrupt_enable", 1)
            probe.write("program_count", len(probe.known.instructions))
            probe.write("control", 1)
            assert probe.finish().done
            probe.same(probe.known.expected)


def test_runs_one_after_the_other_with_all_packets_queued() -> None:
    """A DMA that has the packets of several runs; those of the next run are not touched by the one before."""
    with StreamProbe() as probe:
        probe.session.load(0, probe.known.memory)
        for _ in range(3):
            probe.queue(probe.known.program, {})
        probe.write("interrupt_enable", 1)
        probe.write("program_count", len(probe.known.instructions))
        for _ in range(3):
            probe.write("control", 1)
            assert probe.finish().done
        probe.same(probe.known.expected)
        assert probe.dma.counters()["load_waiting"] == probe.dma.counters()["store_waiting"] == 0


@pytest.mark.parametrize("stalls", ["none", "all often"])
def test_abort_at_any_time(stalls: str) -> None:
    rng = random.Random(3)
    settings = replace(DMA, stalls=STALLS[stalls])
    with StreamProbe(settings) as probe:
        ends = set()
        for wait in (0, 1, 2, *(rng.randrange(2500) for _ in range(40))):
            probe.session.load(0, probe.known.memory)
            probe.start()
            probe.session.run(wait)
            probe.write("control", 2)
            found = probe.finish()
            assert not found.busy and found.done != found.failed
            assert found.cause == (Cause.ABORTED if found.failed else Cause.NONE)
            ends.add(found.failed)
            probe.only_c_changed()
            probe.works()
        assert ends == {False, True}


@pytest.mark.parametrize("stalls", ["none", "all often"])
def test_reset_at_any_time(stalls: str) -> None:
    """Also in the middle of packets: both sides forget them, and the engine works."""
    rng = random.Random(4)
    with StreamProbe(replace(DMA, stalls=STALLS[stalls])) as probe:
        for wait in (0, 1, *(rng.randrange(700) for _ in range(30))):
            probe.session.load(0, probe.known.memory)
            probe.start(watchdog=777)
            probe.session.run(wait)
            probe.session.reset(rng.randint(1, 5))
            assert not probe.session.interrupt
            for name in ("status", "interrupt", "interrupt_enable", "watchdog", "program_count"):
                assert probe.read(name) == 0
            probe.only_c_changed()
            probe.works()


def test_a_store_gives_its_token_when_its_last_beat_has_been_taken() -> None:
    """Not when it is offered: the load that waits for it would come too early."""
    plain = {"slot": 0, "line": 8, "tap_x_count": 1, "out_x_count": 65_535, "out_x_stride": 8, "out_y_count": 1}
    plain |= {"x_size": 1, "y_size": 1}
    one = {"slot": 0, "rows": 1, "cols": 1}
    program = [
        Instruction(Opcode.LOAD_TENSOR, plain),
        Instruction(Opcode.STORE_TENSOR, plain),
        Instruction(Opcode.LOAD, {"target": Target.A, **one}, gives=1 << 0),
        Instruction(Opcode.LOAD, {"target": Target.B, **one, "address": 8}, gives=1 << 1),
        Instruction(Opcode.GEMM, {"m": 1, "n": 1, "k": 1}, waits=0b11, gives=1 << 2),
        Instruction(Opcode.STORE, {"address": 0x100, **one}, waits=1 << 2, gives=1 << 3),
        Instruction(Opcode.LOAD, {"target": Target.A, **one}, waits=1 << 3),
        Instruction(Opcode.END, {}),
    ]
    with StreamProbe(replace(DMA, stalls={"m_axis_store": Stall(1.0)})) as probe:
        probe.start(program)
        probe.session.run(2000)
        assert probe.dma.counters()["load_done"] == 2
        probe.dma.configure(DMA)
        assert probe.finish().done
        assert probe.dma.counters()["load_done"] == 3
        a, b = (int(value) for value in probe.known.memory[[0, 8]].view(np.int8))
        assert int(probe.session.memory[0x100:0x104].view("<i4")[0]) == a * b


def test_half_a_packet_after_a_failed_run_is_forgotten_at_the_next_start() -> None:
    """A DMA that was reset in the middle of a packet: a run that loads nothing must not wait for the rest."""
    with StreamProbe() as probe:
        probe.start()
        probe.session.run(100)
        probe.write("control", 2)
        assert probe.finish().cause == Cause.ABORTED
        probe.dma.forget()
        probe.session.run(50)
        before = probe.dma.counters()["load_beats"]
        probe.dma.add("s_axis_load", [Part(0, 800)])
        probe.session.run(60)
        probe.dma.forget()
        probe.session.run(50)
        assert 0 < probe.dma.counters()["load_beats"] - before < 100, "some of it was dropped"
        assert probe.run([Instruction(Opcode.END, {})], watchdog=1000).done
        probe.works()
