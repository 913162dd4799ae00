"""Cycles that the model of time has for ways, against those of the blocks."""

from __future__ import annotations

import pytest

from tilewright.generators.emit.engine import engine_parameters
from tilewright.generators.reference.engine_delays import delays
from tilewright.hdl.engine.core_parts import CoreParts
from tilewright.hdl.engine.row_sums import RowSums
from tilewright.hdl.engine.transposer import Transposer
from tilewright.sim_tests.system.engine_designs import EngineDesign, gate_engines, random_engines


@pytest.mark.parametrize("design", [*gate_engines().values(), *random_engines(1, 70)], ids=lambda design: design.name)
def test_results_take_what_their_blocks_take(design: EngineDesign) -> None:
    parts = CoreParts(engine_parameters(design.config))
    found = delays(design.config)
    if parts.finish is not None:
        assert found.finish == parts.finish.latency
    turn = Transposer.latency if parts.turns else 0
    assert found.into == (turn + (RowSums.latency if parts.sums is not None else 0), turn)
