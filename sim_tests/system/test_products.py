"""The deepest products use every bit of a sum; one more of every kind of products runs in `tilewright verify`."""

from __future__ import annotations

import pytest

from tilewright.generators.reference import core as reference
from tilewright.generators.reference.product import product
from tilewright.generators.reference.records import Command, Status
from tilewright.hdl.numeric import code_format
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.products import widest_sums
from tilewright.sim_tests.system.shapes import deepest, fitting, lasting, longest


@pytest.mark.parametrize("name", gate_designs())
def test_widest_sums(name: str) -> None:
    bench = gate_bench(name)
    widest_sums(bench)
    assert bench.tally.commands == 10 * len(bench.dataflows)


def test_every_bit_of_a_sum_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums without one of their bits differ, up to the widest that the deepest product can have."""
    bench = gate_bench("any_5x3")
    bits = (code_format(bench.config.a).max * code_format(bench.config.b).max * deepest(bench.rules, 0).k).bit_length()
    for bit in range(bits):
        monkeypatch.setattr(reference, "product", lambda *of, bit=bit: product(*of) & ~(1 << bit))
        with pytest.raises(SimulationFailed, match=r"C.*: expected"):
            widest_sums(gate_bench("any_5x3"))


@pytest.mark.parametrize("name", gate_designs())
def test_shapes_fit_and_are_as_large_as_said(name: str) -> None:
    rules = gate_bench(name).rules
    for dataflow in reference.DATAFLOWS[rules.config.dataflow]:
        deep = deepest(rules, dataflow)
        one_more = Command(deep.m, deep.n, deep.k + 1, dataflow)
        assert rules.command_status(deep) == Status.OK != rules.command_status(one_more)
        for command in (longest(rules, dataflow, spare=2), lasting(rules, dataflow, 90, part=2)):
            assert rules.command_status(command) == Status.OK
        spans = rules.command_spans(lasting(rules, dataflow, 90, part=2))
        assert all(2 * span.high <= getattr(rules.config.scratchpads, side).words for side, span in spans.items())
        assert fitting(rules, deep).k == deep.k
