"""Memory that answers with errors, late, or not at all: the run fails, says why, and the next one works."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import Opcode, Target
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.sim_tests.harness.axi_memory import AxiMemory, ErrorRange
from tilewright.sim_tests.system.engine_designs import gate_engines
from tilewright.sim_tests.system.engine_probe import LIMIT, MEMORY, PROGRAM, Outcome, Probe

RESPONSES = {"SLVERR": 2, "DECERR": 3}
DESIGNS = ("ws_4x4", "os_2x3_bf16")
WATCHDOG = 500
READ, WRITE = 1 << 3, 1 << 4  # bits of the detail of a stuck run


def fails(probe: Probe, places: ErrorRange, cause: Cause) -> Outcome:
    """Runs with an error there; checks all but the tag, and that the next run works."""
    probe.session.configure(replace(MEMORY, errors=[places]))
    found = probe.run()
    assert (found.busy, found.done, found.failed) == (False, False, True)
    assert (found.cause, found.detail) == (cause, RESPONSES[places.response])
    probe.only_c_changed()
    probe.session.configure(MEMORY)
    probe.works()
    return found


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
@pytest.mark.parametrize("design", DESIGNS)
def test_error_when_the_program_is_read(design: str, place: str, response: str) -> None:
    with Probe(gate_engines()[design]) as probe:
        instruction = {"first": 0, "middle": 11, "last": len(probe.known.instructions) - 1}[place]
        fails(probe, ErrorRange(PROGRAM + 64 * instruction, 1, response), Cause.FETCH_ERROR)


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("operand", ["a", "b", "start"])
@pytest.mark.parametrize("design", DESIGNS)
def test_error_when_data_are_read(design: str, operand: str, response: str) -> None:
    with Probe(gate_engines()[design]) as probe:
        view = {"a": probe.known.a, "b": probe.known.b, "start": probe.known.start}[operand]
        target = {"a": Target.A, "b": Target.B, "start": Target.C}[operand]
        for at in (view.address, view.address + (view.rows - 1) * view.pitch):
            found = fails(probe, ErrorRange(at, 1, response), Cause.READ_ERROR)
            assert found.tag in probe.known.places(Opcode.LOAD, target=target)


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("design", DESIGNS)
def test_error_when_results_are_written(design: str, response: str) -> None:
    with Probe(gate_engines()[design]) as probe:
        c, stores = probe.known.c, probe.known.places(Opcode.STORE)
        first = fails(probe, ErrorRange(c.address, 1, response), Cause.WRITE_ERROR)
        assert first.tag == stores[0]
        end = c.address + (c.rows - 1) * c.pitch + c.cols * c.value_bytes - 1
        assert fails(probe, ErrorRange(end, 1, response), Cause.WRITE_ERROR).tag == stores[-1]


@pytest.mark.parametrize("kind", [Opcode.LOAD, Opcode.STORE])
def test_places_where_no_memory_is(kind: Opcode) -> None:
    """The memory has 64 KiB; beyond, DECERR answers."""
    with Probe(gate_engines()["ws_4x4"]) as probe:
        at = probe.known.places(kind)[-1]
        found = probe.run(probe.known.with_fields(at, address=1 << 30))
        cause = Cause.READ_ERROR if kind == Opcode.LOAD else Cause.WRITE_ERROR
        assert (found.failed, found.cause, found.detail, found.tag) == (True, cause, RESPONSES["DECERR"], at)
        probe.works()


@pytest.mark.parametrize("name", ["hold_reads", "hold_writes"])
@pytest.mark.parametrize("design", DESIGNS)
def test_memory_that_answers_late_does_no_harm_without_watchdog(design: str, name: str) -> None:
    with Probe(gate_engines()[design]) as probe:
        probe.start()
        probe.session.run(150)
        probe.session.configure(replace(MEMORY, **{name: True}))  # type: ignore[arg-type]
        probe.session.run(5000)
        assert not probe.session.interrupt and probe.outcome().busy
        probe.session.configure(MEMORY)
        assert probe.finish().done
        probe.same(probe.known.expected)


@pytest.mark.parametrize(("name", "bit"), [("hold_reads", READ), ("hold_writes", WRITE)])
@pytest.mark.parametrize("design", DESIGNS)
def test_memory_that_does_not_answer_is_told_and_the_engine_waits_for_it(design: str, name: str, bit: int) -> None:
    with Probe(gate_engines()[design]) as probe:
        probe.session.configure(AxiMemory(**{name: True}))  # type: ignore[arg-type]
        probe.start(watchdog=WATCHDOG)
        probe.session.wait_interrupt(20_000)
        probe.write("interrupt", 1)
        found = probe.outcome()
        assert (found.failed, found.cause) == (True, Cause.STUCK)
        assert found.detail & (READ | WRITE) == bit
        assert found.busy, "answers may still come: no run may start before"
        probe.write("control", 1, response="SLVERR")
        probe.session.run(3000)
        assert probe.outcome().busy and not probe.session.interrupt
        probe.session.configure(MEMORY)
        probe.session.run(2000)
        again = probe.outcome()
        assert not again.busy and again == replace(found, busy=False), "the cause stays readable"
        assert probe.read("interrupt") == 0, "a run ends once"
        probe.works()


def test_watchdog_leaves_a_slow_memory_alone() -> None:
    with Probe(gate_engines()["ws_4x4"], AxiMemory(latency=200, write_latency=190, outstanding=1)) as probe:
        assert probe.run(watchdog=250).done
        probe.same(probe.known.expected)
        assert BY_NAME["watchdog"].access == "rw" and LIMIT > 250
