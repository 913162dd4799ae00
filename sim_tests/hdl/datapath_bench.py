"""The one build that the tests of structures, memories, integer arithmetic and blocks of the core share."""

from __future__ import annotations

from functools import cache

from tilewright.hdl.structure import Block
from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.hdl.arith.blocks import ACCUMULATORS, DOTS
from tilewright.sim_tests.hdl.arith.cells import CELLS
from tilewright.sim_tests.hdl.memory.blocks import blocks as memories
from tilewright.sim_tests.hdl.pe.elements import ELEMENTS
from tilewright.sim_tests.hdl.structure.blocks import STRUCTURES
from tilewright.sim_tests.hdl.systolic.blocks import blocks as core_blocks


@cache
def bench() -> Bench:
    """The build."""
    structures = {label: make() for label, make in STRUCTURES.items()}
    groups = (structures, CELLS, DOTS, ACCUMULATORS, ELEMENTS, memories(), core_blocks())
    found: dict[str, Block] = {}
    for group in groups:
        assert not found.keys() & group.keys(), "two blocks have one label"
        found |= group
    return Bench("datapath_bench", found)
