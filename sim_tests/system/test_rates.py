"""Loads and read-outs take a beat a cycle, and slow no command that does not use their words."""

from __future__ import annotations

import pytest

from tilewright.generators.reference.records import Transfer
from tilewright.sim_tests.harness import SimulationFailed, Stall
from tilewright.sim_tests.system import rates as module
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.program import Step
from tilewright.sim_tests.system.rates import check_rates, rates, undelayed

INTEGERS = ("any_4x4", "ws_3x5", "is_12x5", "os_8x3", "is_1x1", "any_3x7_saturate")
FLOATS = ("any_3x4_bf16", "os_4x3_fp16", "ws_5x2_fp8", "any_2x3_fx48")
DESIGNS = INTEGERS + FLOATS
STREAMS = ("load_a_beats", "load_b_beats", "load_c_beats", "read_c_beats")


@pytest.mark.parametrize("name", DESIGNS)
def test_a_beat_a_cycle(name: str) -> None:
    bench = gate_bench(name)
    rates(bench)
    assert bench.points == bench.tally.commands == len(bench.dataflows)


@pytest.mark.parametrize("name", DESIGNS)
def test_slow_transfers_beside_a_command_do_not_slow_it(name: str) -> None:
    bench = gate_bench(name)
    undelayed(bench)
    assert bench.points == bench.tally.commands == 6
    assert bench.stalls > 500


@pytest.mark.parametrize("stream", STREAMS)
def test_a_pause_is_found(stream: str) -> None:
    bench = gate_bench("ws_3x5")
    author = bench.author(filled=True)
    steps = [*author.steps, Step(transfer=Transfer(0, 9, 9), after=(0, 1, 2, 3))]
    result = bench.run(steps, {stream: Stall(0.1)})
    with pytest.raises(SimulationFailed, match="expected a beat a cycle, got beat") as found:
        check_rates(bench, result, steps)
    assert found.value.stream == stream


def test_a_command_that_waited_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transfers of its own words, which it must wait for, in place of those beside them."""
    right = module._next_to

    def own(*arguments: object, above: bool) -> object:
        return [(side, Transfer(1, 1, 1, t.region)) for side, t in right(*arguments, above=above)]  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_next_to", own)
    with pytest.raises(SimulationFailed, match=r"beside loads and read-outs: expected .* cycles, got"):
        undelayed(gate_bench("ws_3x5"))
