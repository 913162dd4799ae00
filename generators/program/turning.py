"""Loads of operands that lie transposed in memory, as an engine's transposer turns them: block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.schedule import Part
from tilewright.generators.program.tensor import View
from tilewright.generators.program.transposed import Transposed, block_unit

Operand = Literal["a", "b"]


def for_engine(view: View, operand: Operand, config: EngineConfig) -> View:
    """``view`` as the engine loads it: in blocks where it is transposed and there is a transposer.

    One that is shorter than a `block_unit` is not used.
    """
    if not isinstance(view, Transposed):
        return view
    pad = config.scratchpads.a if operand == "a" else config.scratchpads.b
    wide = pad.lanes * (config.vector if operand == "a" else 1)
    unit = block_unit(operand, config)
    block = config.transposer // unit * unit
    return replace(view, block=block, wide=wide) if block else view


def turned_loads(
    load: Instruction, view: Transposed, part: Part, operand: Operand, config: EngineConfig
) -> Iterator[Instruction]:
    """``load``, which loads ``part`` of ``view``, as one load for each block that the transposer holds.

    Blocks go panel by panel, as matrices lie in the scratchpads. The first takes the tokens of ``load``, the last gives
    its own.
    """
    unit = 1 if operand == "a" else config.vector
    tall, wide = view.block, view.wide
    words_of_panel = -(-part.rows // unit)
    blocks = [(row, column) for column in range(0, part.cols, wide) for row in range(0, part.rows, tall)]
    for number, (row, column) in enumerate(blocks):
        rows, cols = min(tall, part.rows - row), min(wide, part.cols - column)
        fields = dict(load.fields) | view.lies.box(part.column + column, part.row + row, cols, rows)
        fields["base"] = load.fields["base"] + column // wide * words_of_panel + row // unit
        fields["turned"] = 1
        if "sum_base" in fields:
            fields["sum_base"] += row
            fields["sum_add"] = int(fields["sum_add"] > 0 or column > 0)
        yield load._replace(
            fields=fields,
            waits=load.waits if number == 0 else 0,
            gives=load.gives if number == len(blocks) - 1 else 0,
        )
