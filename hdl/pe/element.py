"""What all processing elements have in common: their ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.structure import Block, Registered


class Element(Block):
    """A processing element: ports, whatever the dataflow.

    ``x`` travels west to east, one register an element; ``y`` and ``sum`` north to south. Row controls travel with
    ``x``, one register an element, and are cleared by reset; column controls are seen by a whole column at once.

    Members
    -------
    x_in, x_out: a word of `Operands`, ``x_width`` bits
    y_in, y_out: ``y_width`` bits
    sum_in, sum_out: ``sum_shape``
    seed_in, seed_out: like sums, where ``has_seeds``
    <row control>_in, <row control>_out: 1 bit each
    <column control>: 1 bit each
    <constant of the operands>, <pin of the operands>
    """

    row_controls: Sequence[str] = ()
    column_controls: Sequence[str] = ()
    hop: int = 1
    """Cycles by which a row works after the one above it."""
    late: int = 0
    """Cycles by which a sum that stays is finished after the step that ends it would let expect."""
    has_seeds: bool = False

    def __init__(self, kind: str, operands: Operands) -> None:
        self.operands = operands
        x, y, total = unsigned(operands.x_width), unsigned(operands.y_width), operands.sum_shape
        members = {"x_in": In(x), "y_in": In(y), "sum_in": In(total)}
        if self.has_seeds:
            members |= {"seed_in": In(total), "seed_out": Out(total)}
        members |= {name: In(shape) for name, shape in operands.constants.items()}
        members |= {f"{control}_in": In(1) for control in self.row_controls}
        members |= {control: In(1) for control in self.column_controls}
        members |= {"x_out": Out(x), "y_out": Out(y), "sum_out": Out(total)}
        members |= {f"{control}_out": Out(1) for control in self.row_controls} | dict(operands.pins)
        super().__init__(f"pe_{kind}_{operands}", members)

    def term(self, m: Module, platform: Any, y: Registered) -> Any:
        """What this element adds for its ``x`` and ``y``; see `Operands`."""
        ports = {name: getattr(self, name) for name in (*self.operands.constants, *self.operands.pins)}
        return self.operands.term(m, platform, Registered(self.x_out, self.x_in), y, ports)

    @property
    def eastward(self) -> dict[str, str]:
        """Inputs that an element has from the outputs of its neighbour in the row."""
        return {"x_in": "x_out", **{f"{c}_in": f"{c}_out" for c in self.row_controls}}
