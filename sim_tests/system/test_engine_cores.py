"""Several cores behind one program: random programs, faults and watchdog by core, ports that behave each by itself."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tilewright.generators.program.instruction import Instruction
from tilewright.generators.report.workload import Layer
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.drivers.engine_cores import in_blocks, measure_dealt, planned
from tilewright.sim_tests.harness.axi_memory import AxiMemory, ErrorRange
from tilewright.sim_tests.system.engine_campaign import run_engine
from tilewright.sim_tests.system.engine_designs import core_engine
from tilewright.sim_tests.system.engine_probe import MEMORY, Probe

CORES = core_engine().config.cores
READ, WRITE = 1 << 3, 1 << 4  # bits of the detail of a stuck run
END = Instruction(Opcode.END, {})


def probe(settings: AxiMemory = MEMORY) -> Probe:
    """A session with the engine."""
    return Probe(core_engine(), settings)


def test_random_programs_do_what_the_interpreter_does() -> None:
    tally = run_engine(core_engine(), seed=5, products=40)
    assert tally.products >= 40 and tally.results > 2000


@pytest.mark.parametrize("core", range(CORES))
def test_every_core_runs_the_known_program(core: int) -> None:
    with probe() as p:
        for _ in range(2):
            p.session.load(0, p.known.memory)
            assert p.run(p.on_core(core)).done
            p.same(p.known.after(p.on_core(core)))
        p.works()


def test_registers_tell_cores_and_counters_are_those_of_the_chosen_one() -> None:
    with probe() as p:
        assert p.read("version") == 1 | (CORES - 1) << 16
        assert p.run(p.on_core(1)).done
        before = [p.session.counters(core) for core in range(CORES)]
        assert p.run(p.on_core(1)).done  # it counts from 0
        found = []
        for core in range(CORES):
            p.write("counter_core", core)
            assert p.read("counter_core") == core
            found.append(p.counters())
        assert len({counts["cycles"] for counts in found}) == 1
        for core, counts in enumerate(found):
            after = p.session.counters(core)
            passed = {name: after[name] - before[core][name] for name in after}
            assert counts["fetch_beats"] == (8 * len(p.known.instructions) if core == 0 else 0)
            assert counts["read_beats"] == passed["read_beats"] - counts["fetch_beats"]
            assert counts["write_beats"] == passed["write_beats"]
            assert (counts["array_active"] > 0) == (core == 1)
        busy = [name for name in found[1] if name.endswith(("busy", "active"))]
        assert len(busy) == 4 and all(found[1][name] > 0 for name in busy)


@pytest.mark.parametrize("core", range(CORES))
def test_a_fault_names_its_core(core: int) -> None:
    with probe() as p:
        at = p.known.places(Opcode.GEMM)[-1]
        program = p.on_core(core)
        program[at] = program[at]._replace(fields={**program[at].fields, "a_base": 65535})
        found = p.run(program)
        assert (found.cause, Status(found.detail), found.tag) == (Cause.GEMM_REFUSED, Status.A_OUT_OF_RANGE, at)
        assert found.core == core
        p.works()


@pytest.mark.parametrize(("core", "opcode"), [(1, 99), (2, 255), (0, 8)])
def test_an_illegal_opcode_names_its_core(core: int, opcode: int) -> None:
    with probe() as p:
        raw = p.known.program.copy()
        raw[64 * 9] = opcode
        raw[64 * 9 + 6] = core
        found = p.run(raw)
        assert (found.cause, found.tag, found.core) == (Cause.ILLEGAL_INSTRUCTION, 9, core)
        p.works()


@pytest.mark.parametrize("core", [CORES, 15])
def test_a_core_that_does_not_exist_is_illegal(core: int) -> None:
    with probe() as p:
        program = p.on_core(0)
        program[9] = program[9]._replace(core=core)
        found = p.run(program)
        assert (found.failed, found.cause, found.tag, found.core) == (True, Cause.ILLEGAL_INSTRUCTION, 9, core)
        p.works()


@pytest.mark.parametrize("core", range(CORES))
def test_errors_of_memory_name_their_core(core: int) -> None:
    with probe() as p:
        for view, cause in ((p.known.b, Cause.READ_ERROR), (p.known.c, Cause.WRITE_ERROR)):
            p.session.configure(replace(MEMORY, errors=[ErrorRange(view.address, 1, "DECERR")]), core)
            found = p.run(p.on_core(core))
            assert (found.cause, found.detail, found.core) == (cause, 3, core)
            p.session.configure(MEMORY)
            p.works()


@pytest.mark.parametrize("core", range(CORES))
def test_the_watchdog_tells_the_core_that_hangs_and_what_it_lacks(core: int) -> None:
    waits = {Opcode.LOAD: 0x8000, Opcode.GEMM: 0x4000, Opcode.STORE: 0x2000}
    with probe() as p:
        hung = [Instruction(opcode, {}, waits=tokens, core=core) for opcode, tokens in waits.items()]
        others = [i for other in range(CORES) if other != core for i in p.on_core(other)[:4]]
        found = p.run([*others, *hung, END], watchdog=500)
        assert (found.failed, found.cause, found.core) == (True, Cause.STUCK, core)
        assert (found.detail, found.missing) == (0b111, (0x8000, 0x4000, 0x2000))
        p.works()


@pytest.mark.parametrize(("name", "bit"), [("hold_reads", READ), ("hold_writes", WRITE)])
@pytest.mark.parametrize("core", [1, 2])
def test_a_port_that_does_not_answer_is_told_and_waited_for(core: int, name: str, bit: int) -> None:
    with probe() as p:
        p.session.configure(replace(MEMORY, **{name: True}), core)  # type: ignore[arg-type]
        p.start(p.on_core(core), watchdog=500)
        p.session.wait_interrupt(20_000)
        p.write("interrupt", 1)
        found = p.outcome()
        assert (found.cause, found.core, found.detail & (READ | WRITE)) == (Cause.STUCK, core, bit)
        assert found.busy, "answers may still come: no run may start before"
        p.write("control", 1, response="SLVERR")
        p.session.configure(MEMORY)
        p.session.run(2000)
        assert not p.outcome().busy and p.outcome().core == core, "the core stays readable"
        p.works()


def test_a_slow_port_holds_up_its_own_core_only() -> None:
    """Two cores run the same program; one behind a slow memory counts waits, the other does not."""
    with probe() as p:
        store = {"address": 0x4000}
        second = [
            i._replace(fields={**i.fields, "address": i.fields["address"] - p.known.c.address + store["address"]})
            if i.opcode == Opcode.STORE
            else i
            for i in p.on_core(2)[:-1]
        ]
        both = [i for pair in zip(p.on_core(1)[:-1], second, strict=True) for i in pair]
        p.session.configure(replace(MEMORY, latency=200, stalls={"r": 0.5, "w": 0.5}), 2)
        assert p.run([*both, END]).done
        expected = p.known.after([*both, END])
        p.same(expected)
        waits = []
        for core in (1, 2):
            p.write("counter_core", core)
            waits.append(p.counters()["load_wait_bus"])
        assert waits[1] > waits[0] + 400


def test_a_barrier_waits_until_results_are_in_memory() -> None:
    """The loads behind it read the last row that a core behind a slow port stores."""
    with probe() as p:
        p.session.configure(replace(MEMORY, write_latency=3000), 1)
        p.session.configure(replace(MEMORY, latency=1), 2)
        first = p.on_core(1)[:-1]
        second = [
            i._replace(core=2, fields={**i.fields, "address": p.known.c.address + 8 * p.known.c.pitch})
            if i.opcode == Opcode.LOAD and i.fields["target"] == 1
            else i._replace(core=2)
            for i in p.known.instructions
        ]
        stored = [
            i._replace(fields={**i.fields, "address": i.fields["address"] - p.known.c.address + 0x4000})
            if i.opcode == Opcode.STORE
            else i
            for i in second
        ]
        program = [*first, Instruction(Opcode.BARRIER, {}), *stored]
        assert p.run(program).done
        p.same(p.known.after(program))
        p.works()


def test_abort_and_reset_at_any_time() -> None:
    rng = random.Random(6)
    with probe() as p:
        both = [i for pair in zip(p.on_core(0)[:-1], p.on_core(2)[:-1], strict=True) for i in pair]
        ends = set()
        for number, wait in enumerate((0, 1, 2, *(rng.randrange(900) for _ in range(12)))):
            p.session.load(0, p.known.memory)
            p.start([*both, END])
            p.session.run(wait)
            if number % 2:
                p.session.reset(rng.randint(1, 4))
                assert p.read("status") == p.read("counter_core") == 0
            else:
                p.write("control", 2)
                found = p.finish()
                assert found.done != found.failed and found.cause in (Cause.ABORTED, Cause.NONE)
                ends.add(found.failed)
            p.works()
        assert True in ends


def test_four_tiles_on_three_cores_take_two_waves_and_what_is_planned_takes_less() -> None:
    """Both with right results, and about as many cycles as predicted."""
    layer = Layer("four tiles", 48, 12, 24)
    waves = measure_dealt(core_engine().config, layer, in_blocks(12, 12))
    best = measure_dealt(core_engine().config, layer, planned)
    for run in (waves, best):
        assert abs(run.cycles / run.predicted - 1) < 0.03
        assert sum(run.active) >= 48 * 12 * 24 / 6
    assert max(waves.active) > 1.8 * min(waves.active) > 0
    assert max(best.active) < 1.2 * min(best.active)
    assert best.cycles < 0.85 * waves.cycles
