"""The one build that the tests of elementary functions, division and rectifiers share."""

from __future__ import annotations

from functools import cache

from tilewright.hdl.arith.functions import Divider, LeakyRelu, Rectifier, Relu, Relu6, function_unit
from tilewright.hdl.numeric.functions import FUNCTIONS
from tilewright.hdl.structure import Block
from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.hdl.numeric.function_shapes import OTHERS

SLOPES = (1, 3, 7)
DIVIDERS = ("divide_by_1", "divide_by_2", "divide_by_11")


@cache
def bench() -> Bench:
    """The build."""
    blocks: dict[str, Block] = {name: function_unit(name) for name in FUNCTIONS}
    blocks |= {label: function_unit(*other) for label, other in OTHERS.items()}
    blocks |= {label: Divider(bits_a_cycle=int(label.rpartition("_")[2])) for label in DIVIDERS}
    rectifiers: list[Rectifier] = [Relu(), Relu6(), *(LeakyRelu(slope) for slope in SLOPES)]
    return Bench("function_bench", blocks | {block.name: block for block in rectifiers})
