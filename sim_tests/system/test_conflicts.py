"""A command waits for the commands whose C its own words share, and for no others."""

from __future__ import annotations

import pytest

from tilewright.generators.reference.scratchpad import Span
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.conflicts import conflicts

INTEGERS = ("any_4x4", "ws_3x5", "is_12x5", "os_8x3", "os_2x3_saturate", "any_3x7_saturate")
FLOATS = ("any_3x4_bf16", "os_4x3_fp16", "ws_5x2_fp8", "any_2x3_fx48")
DESIGNS = INTEGERS + FLOATS


@pytest.mark.parametrize("name", DESIGNS)
def test_commands_take_the_cycles_of_the_model(name: str) -> None:
    bench = gate_bench(name)
    conflicts(bench)
    assert bench.points > 1500


@pytest.mark.parametrize("shared", [False, True])
def test_a_model_in_which_words_that_touch_are_shared_or_none_is_differs(
    shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overlaps(one: Span, other: Span) -> bool:
        return shared and one.low <= other.high and other.low <= one.high

    bench = gate_bench("ws_3x5")
    monkeypatch.setattr(Span, "overlaps", overlaps)
    with pytest.raises(SimulationFailed, match="expected taken and completed in cycles"):
        conflicts(bench)
