"""The bench of generation measures the program as a user runs it."""

from __future__ import annotations

from tilewright.sim_tests.benchmarks.scripts import script


def test_deeper_scratchpads_cost_a_few_bytes_and_no_module() -> None:
    bench = script("emit")
    small, deeper = bench.emitted(16), bench.emitted(16, deeper=2)
    assert small.seconds > 0
    assert abs(deeper.size - small.size) < 500  # wider addresses have other digits here and there
    assert len(small.modules) > 10 and set(small.modules.values()) == {1}
    assert len(deeper.modules) == len(small.modules)
