"""The gate's tests of engines find faults; long, but for the places where faults are put."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tilewright.hdl.engine.records import Target
from tilewright.sim_tests.benchmarks.engine_mutants import DESIGN, MUTANTS, mutated, planted, standing_in
from tilewright.sim_tests.benchmarks.mutants import Mutant, killed_by
from tilewright.sim_tests.harness import ledger
from tilewright.sim_tests.system import test_engine_bus_errors as bus
from tilewright.sim_tests.system import test_engine_counters as counters
from tilewright.sim_tests.system import test_engine_random as random_programs
from tilewright.sim_tests.system import test_engine_refusals as refusals
from tilewright.sim_tests.system import test_engine_registers as registers
from tilewright.sim_tests.system import test_engine_runs as runs
from tilewright.sim_tests.system.engine_designs import gate_engines

Test = tuple[str, Callable[[], None]]


def trials() -> list[Test]:
    """Tests of the gate on one design, quick ones first."""
    found: list[Test] = [
        ("known", partial(runs.test_known_program, DESIGN)),
        ("counters", partial(counters.test_counters_of_a_run, DESIGN, 1)),
        ("window", runs.test_full_window_refuses_every_word_and_keeps_its_instruction),
        ("strobes of the window", partial(registers.test_words_of_the_window_are_written_whole_or_not_at_all, 0b0111)),
        ("order", partial(registers.test_bytes_in_any_order, "w first")),
        ("illegal", partial(refusals.test_illegal_opcode, 7)),
        ("one token", refusals.test_one_token_is_taken_by_one),
        ("tokens at once", partial(refusals.test_tokens_of_sizes_of_zero_do_not_hide_those_of_others, Target.A)),
        ("channels", refusals.test_load_of_more_channels_than_there_is_room_for),
        ("slow memory", bus.test_watchdog_leaves_a_slow_memory_alone),
        ("silent memory", partial(bus.test_memory_that_does_not_answer_is_told_and_the_engine_waits_for_it, DESIGN,
                                  "hold_reads", bus.READ)),
    ]  # fmt: skip
    for response in bus.RESPONSES:
        found += [
            (f"fetch {response}", partial(bus.test_error_when_the_program_is_read, DESIGN, "middle", response)),
            (f"read {response}", partial(bus.test_error_when_data_are_read, DESIGN, "b", response)),
            (f"write {response}", partial(bus.test_error_when_results_are_written, DESIGN, response)),
        ]
    found += [(name, partial(refusals.test_what_the_core_refuses, name)) for name in refusals.CASES]
    return [*found, ("random", partial(random_programs.test_engine_does_what_the_interpreter_does, DESIGN))]


@pytest.mark.long
def test_every_fault_is_found() -> None:
    design = mutated()
    with standing_in(design):
        assert killed_by(None, trials()) == "", "asleep they change nothing"
        found = {mutant.what: killed_by(Mutant(at, mutant.what), trials()) for at, mutant in enumerate(MUTANTS, 1)}
    ledger.count(engine_faults_planted=len(found), engine_faults_found=sum(map(bool, found.values())))
    assert [what for what, killer in found.items() if not killer] == []
    assert len(set(found.values())) > 5, "they are found by more than one test"


def test_every_fault_has_a_place() -> None:
    design = gate_engines()[DESIGN]
    sources = design.build.spec.sources
    assert len(MUTANTS) > 20 and Target.CHANNELS
    changed = planted(sources, design.config.module_name)
    assert sum(text.count("initial planted_number") for text in changed.values()) > 10, "modules with faults"
