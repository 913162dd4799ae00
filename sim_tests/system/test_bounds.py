"""Every matrix is refused exactly where it leaves its scratchpad, and nothing else is changed."""

from __future__ import annotations

import math

import pytest

from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.records import Status, Transfer
from tilewright.generators.reference.scratchpad import ScratchpadModel, Span, Values
from tilewright.hdl.numeric import FxFormat
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.bench import Bench, gate_bench
from tilewright.sim_tests.system.bounds import (
    commands_at_edges,
    edge_commands,
    edge_transfers,
    factors,
    illegal_commands,
    sizes_at_edges,
    transfers_at_edges,
)
from tilewright.sim_tests.system.designs import gate_designs

INTEGERS = ("any_4x4", "ws_3x5", "is_12x5", "os_8x3", "is_1x1", "any_3x7_saturate")
FLOATS = ("any_3x4_bf16", "os_4x3_fp16", "ws_5x2_fp8", "any_2x3_fx48")
DESIGNS = INTEGERS + FLOATS
REFUSED_BY_COMMAND = {
    *(Status.EMPTY, Status.BAD_DATAFLOW, Status.BAD_START, Status.BIAS_IN_C),
    *(Status.A_OUT_OF_RANGE, Status.B_OUT_OF_RANGE, Status.C_OUT_OF_RANGE, Status.BIAS_OUT_OF_RANGE),
}


def refused_by_command(bench: Bench) -> set[Status]:
    """Why commands are refused; only those of windows have a binary point."""
    return REFUSED_BY_COMMAND | ({Status.BAD_POINT} if isinstance(bench.config.acc, FxFormat) else set())


@pytest.mark.parametrize("name", DESIGNS)
def test_transfers(name: str) -> None:
    bench = gate_bench(name)
    transfers_at_edges(bench)
    assert set(bench.tally.refused) == {Status.EMPTY, Status.OUT_OF_RANGE, Status.LENGTH}
    assert bench.tally.values > 500


@pytest.mark.parametrize("name", DESIGNS)
def test_sizes_of_transfers(name: str) -> None:
    bench = gate_bench(name)
    sizes_at_edges(bench)
    assert set(bench.tally.refused) == {Status.IN_USE, Status.OUT_OF_RANGE}, "none may come after the commands"
    assert min(bench.tally.refused.values()) > 100


@pytest.mark.parametrize("name", DESIGNS)
def test_commands(name: str) -> None:
    bench = gate_bench(name)
    commands_at_edges(bench)
    assert set(bench.tally.refused) == refused_by_command(bench)
    assert bench.tally.commands > 50


@pytest.mark.parametrize("words", [1, 2, 97, 128, 160, 65536])
def test_factors_fit_and_one_more_does_not(words: int) -> None:
    for one, other in factors(words):
        assert one * other <= words < one * (other + 1) or one * other <= words < (one + 1) * other


@pytest.mark.parametrize("name", gate_designs())
def test_edges_are_legal_and_illegal_on_every_side(name: str) -> None:
    bench = gate_bench(name)
    rules, dataflow = bench.rules, bench.dataflows[0]
    for side in ("a", "b", "c"):
        found = {rules.transfer_status(side, transfer) for transfer in edge_transfers(rules, side)}
        assert found == {Status.OK, Status.EMPTY, Status.OUT_OF_RANGE}
    commands = [*edge_commands(rules, dataflow), *illegal_commands(rules, dataflow)]
    found = {rules.command_status(command) for command in commands}
    assert found >= refused_by_command(bench) - {Status.BAD_DATAFLOW}
    assert all(max(c.m, c.n, c.k, c.a_base, c.b_base, c.c_base, c.bias_base) < 1 << 16 for c in commands)
    assert math.prod(max(getattr(c, extent) for c in commands) for extent in "mnk") == 65535**3


@pytest.mark.parametrize("check", [transfers_at_edges, sizes_at_edges, commands_at_edges])
def test_a_reference_with_one_word_less_differs(check: object, monkeypatch: pytest.MonkeyPatch) -> None:
    def fits(memory: ScratchpadModel, span: Span) -> bool:
        return span.high < memory.geometry.words

    assert callable(check)
    bench = gate_bench("ws_3x5")
    monkeypatch.setattr(ScratchpadModel, "fits", fits)
    with pytest.raises(SimulationFailed, match="expected status"):
        check(bench)


@pytest.mark.parametrize("side", ["a", "b"])
def test_a_refused_load_that_wrote_would_be_seen(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the reference changes a word of what it refuses. Only the products with all of A and B show that."""
    right = ReferenceCore.load

    def load(core: ReferenceCore, port: Port, transfer: Transfer, beats: Values) -> Status:
        status = right(core, port, transfer, beats)
        if port == side and status == Status.OUT_OF_RANGE:
            values = getattr(core, side).values
            values[40, 0, 0] = changed.setdefault(side, values[40, 0, 0] + 1)
        return status

    bench = gate_bench("ws_3x5")
    changed: dict[str, int] = {}
    monkeypatch.setattr(ReferenceCore, "load", load)
    with pytest.raises(SimulationFailed, match=r"C.*: expected"):
        transfers_at_edges(bench)
