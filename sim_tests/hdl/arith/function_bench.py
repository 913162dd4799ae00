"""The one build that the tests of elementary functions, division and rectifiers share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.arith.functions import Divider, LeakyRelu, Rectifier, Relu, Relu6, function_unit
from tilewright.hdl.numeric.functions import FUNCTIONS
from tilewright.hdl.structure import Block
from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.hdl.numeric.function_shapes import OTHERS

SLOPES = (1, 3, 7)
DIVIDERS = ("divide_by_1", "divide_by_2", "divide_by_11")


@cache
def blocks() -> dict[str, Block]:
    """All units, by the labels of the tests."""
    found: dict[str, Block] = {name: function_unit(name) for name in FUNCTIONS}
    found |= {label: function_unit(*other) for label, other in OTHERS.items()}
    found |= {label: Divider(bits_a_cycle=int(label.rpartition("_")[2])) for label in DIVIDERS}
    rectifiers: list[Rectifier] = [Relu(), Relu6(), *(LeakyRelu(slope) for slope in SLOPES)]
    return found | {block.name: block for block in rectifiers}


@cache
def bench() -> Bench:
    """The build."""
    return Bench("function_bench", blocks())


def results(inputs: Mapping[str, Mapping[str, NDArray[np.int64]]]) -> dict[str, NDArray[np.int64]]:
    """``y`` of blocks for ``inputs`` by block and port, an operand a cycle in all of them in one run.

    The first result is that of the cycle in which the block's latency says that it is there.
    """
    found, run, ports = bench(), bench().run(), bench().build.interface
    cycles = {}
    for label, operands in inputs.items():
        block: Any = found.blocks[label]
        count = max(map(len, operands.values()))
        port = ports.streams[ports.index(f"{label}_in")]
        beats = np.zeros((count + block.latency, 1), dtype=np.uint32)
        for name, values in operands.items():
            offset, _ = port.field(f"{label}_{name}")
            beats[:count, 0] |= (values << offset).astype(np.uint32)
        run = run.send(port.name, beats).expect(f"{label}_out", len(beats))
        cycles[label] = block.latency
    result = run.execute()
    return {label: result[f"{label}_out"].beats[late:, 0].astype(np.int64) for label, late in cycles.items()}
