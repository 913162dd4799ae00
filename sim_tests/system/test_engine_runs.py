"""Beginnings and ends of runs: programs of any length, the window, starts while busy, aborts, interrupts, resets."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tilewright.generators.program.encode import encode
from tilewright.generators.program.instruction import Instruction
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.engine.register_map import WINDOW_WORDS
from tilewright.sim_tests.system.engine_designs import gate_engines
from tilewright.sim_tests.system.engine_probe import MEMORY, PROGRAM, Probe

DESIGNS = tuple(gate_engines())
WS = "ws_4x4"


@pytest.mark.parametrize("design", DESIGNS)
def test_known_program(design: str) -> None:
    with Probe(gate_engines()[design]) as probe:
        for _ in range(2):
            probe.works()


@pytest.mark.parametrize("design", DESIGNS)
def test_program_without_end_ends_after_its_count(design: str) -> None:
    with Probe(gate_engines()[design]) as probe:
        program = probe.known.instructions[:-1]
        assert probe.known.instructions[-1].opcode == Opcode.END
        probe.session.load(PROGRAM + 64 * len(program), bytes([255] * 64))
        assert probe.run(program).done
        expected = probe.known.expected.copy()
        expected[PROGRAM + 64 * len(program) :][:64] = 255
        probe.same(expected)


def test_count_shorter_than_the_program() -> None:
    """What is beyond the count is not run: the first store is the last instruction. Tokens left over are forgotten."""
    with Probe(gate_engines()[WS]) as probe:
        instructions = probe.known.instructions
        count = probe.known.places(Opcode.STORE)[0] + 1
        assert probe.run(count=count).done
        c = probe.known.c
        full, before = probe.known.expected, probe.known.memory
        rows = instructions[count - 1].fields["rows"]
        expected = before.copy()
        columns = instructions[count - 1].fields["cols"] * c.value_bytes
        for row in range(rows):
            at = c.address + row * c.pitch
            expected[at : at + columns] = full[at : at + columns]
        probe.same(expected)
        probe.works()


def test_nothing_is_run_after_end() -> None:
    with Probe(gate_engines()[WS]) as probe:
        end = encode([Instruction(Opcode.END, {})]).ravel()
        rest = np.full(64 * 30, 255, dtype=np.uint8)
        assert probe.run(np.concatenate([end, rest])).done
        assert probe.run(np.concatenate([probe.known.program, rest])).done
        expected = probe.known.expected.copy()
        expected[PROGRAM + len(probe.known.program) :][: len(rest)] = rest
        probe.same(expected)
        probe.works()


@pytest.mark.parametrize("low", [1, 4, 32, 63])
def test_a_program_begins_at_a_multiple_of_64(low: int) -> None:
    with Probe(gate_engines()[WS]) as probe:
        probe.start()
        assert probe.finish().done
        probe.session.load(0, probe.known.memory)
        probe.write("program_low", PROGRAM + low)
        assert probe.read("program_low") == PROGRAM
        probe.write("control", 1)
        assert probe.finish().done
        probe.same(probe.known.expected)


def test_program_at_an_address_that_is_not_in_memory() -> None:
    with Probe(gate_engines()[WS]) as probe:
        probe.write("interrupt_enable", 1)
        probe.write("program_high", 0x80)
        probe.write("program_count", 3)
        probe.write("control", 1)
        found = probe.finish()
        assert (found.failed, found.cause, found.detail) == (True, Cause.FETCH_ERROR, 3)
        probe.works()


@pytest.mark.parametrize("wait", [0, 30, 100, 300])
def test_start_while_busy_is_refused_and_the_run_unharmed(wait: int) -> None:
    with Probe(gate_engines()[WS]) as probe:
        probe.start()
        probe.session.run(wait)
        for value in (1, 0x101):
            probe.write("control", value, response="SLVERR")
        probe.write("control", 0)
        assert probe.finish().done
        probe.same(probe.known.expected)
        assert probe.counters()["fetch_beats"] == 4 * len(probe.known.instructions)


@pytest.mark.parametrize("design", DESIGNS)
def test_abort_at_any_time(design: str) -> None:
    rng = random.Random(3)
    with Probe(gate_engines()[design]) as probe:
        ends = set()
        for wait in (0, 1, 2, *(rng.randrange(700) for _ in range(14))):
            probe.session.load(0, probe.known.memory)
            probe.start()
            probe.session.run(wait)
            probe.write("control", 2)
            found = probe.finish()
            assert not found.busy and found.done != found.failed
            assert found.cause == (Cause.ABORTED if found.failed else Cause.NONE)
            ends.add(found.failed)
            probe.only_c_changed()
            if wait % 3 == 0:
                probe.works()
        assert True in ends
        probe.works()


def test_abort_of_nothing_does_nothing() -> None:
    with Probe(gate_engines()[WS]) as probe:
        probe.write("control", 2)
        found = probe.outcome()
        assert not found.busy and not found.failed and not probe.session.interrupt
        probe.works()


@pytest.mark.parametrize("design", DESIGNS)
def test_reset_at_any_time(design: str) -> None:
    """After a reset all registers are 0 again, and the engine works."""
    rng = random.Random(4)
    with Probe(gate_engines()[design]) as probe:
        for wait in (0, 1, *(rng.randrange(600) for _ in range(10))):
            probe.session.load(0, probe.known.memory)
            probe.start(watchdog=777)
            probe.session.run(wait)
            probe.session.reset(rng.randint(1, 5))
            assert not probe.session.interrupt
            for name in ("status", "interrupt", "interrupt_enable", "watchdog", "program_low", "program_count"):
                assert probe.read(name) == 0
            probe.only_c_changed()
            probe.works()


@pytest.mark.parametrize("design", DESIGNS)
def test_instructions_through_the_window(design: str) -> None:
    with Probe(gate_engines()[design]) as probe:
        probe.session.configure(replace(MEMORY, hold_reads=True))  # loads stand still, queues fill
        probe.start(count=0)
        refused = 0
        for instruction in probe.known.program.reshape(-1, 64).view("<u4"):
            refused += _through_the_window(probe, instruction)
        assert refused > 0, "the window was never full"
        assert probe.finish().done
        probe.same(probe.known.expected)
        assert probe.counters()["fetch_beats"] == 0
        probe.works()


def _through_the_window(probe: Probe, words: np.ndarray) -> int:
    """Writes an instruction, again where it is refused; how often it was."""
    refused = 0
    for word, value in enumerate(words):
        while not probe.accepts(f"window_{word}", int(value)):
            refused += 1
            if refused == 3:
                probe.session.configure(MEMORY)
    return refused


def test_full_window_refuses_every_word_and_keeps_its_instruction() -> None:
    """Before a run the window holds one instruction; what is refused must not harm it."""
    with Probe(gate_engines()[WS]) as probe:
        words = probe.known.program.reshape(-1, 64).view("<u4")
        assert _through_the_window(probe, words[0]) == 0
        for word in range(WINDOW_WORDS):
            probe.write(f"window_{word}", 0xFFFFFFFF, response="SLVERR")
        probe.start(count=0)
        for instruction in words[1:]:
            _through_the_window(probe, instruction)
        assert probe.finish().done
        probe.same(probe.known.expected)


def test_the_window_is_empty_after_a_run() -> None:
    with Probe(gate_engines()[WS]) as probe:
        garbage = np.full(16, 0xFFFFFFFF, dtype=np.uint32)
        probe.start()
        _through_the_window(probe, garbage)  # stands behind the program, whose END comes first
        assert probe.finish().done or probe.outcome().cause == Cause.ILLEGAL_INSTRUCTION
        probe.works()


def test_interrupt_follows_enable_and_is_cleared_by_one() -> None:
    with Probe(gate_engines()[WS]) as probe:
        probe.start()
        probe.write("interrupt_enable", 0)
        probe.session.run(2000)
        assert probe.read("status") == 2 and not probe.raised()
        assert probe.read("interrupt") == 1
        probe.write("interrupt_enable", 1)
        assert probe.raised()
        probe.write("interrupt", 0)
        probe.write("interrupt", 1, strobes=0b1110)
        assert probe.raised() and probe.read("interrupt") == 1
        probe.write("interrupt", 0xFFFFFFFF)
        assert not probe.raised() and probe.read("interrupt") == 0
        assert probe.read("status") == 2
        probe.works()
