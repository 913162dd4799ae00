"""What all processing elements have in common: their ports and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith import Overflow
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.structure import Block


@dataclass(frozen=True)
class Operands:
    """What a processing element multiplies, and what it adds into.

    Parameters
    ----------
    x, y: IntFormat
        Elements that travel west to east, and north to south.
    vector: int
        Elements of an operand word: every element computes a dot product of this length a cycle.
    pipeline: int
        Registers between operand register and accumulating add, 0..3.
    sum_width: int
        Bits of the (signed) sums that travel north to south.
    overflow: "wrap" or "saturate"
    dot_width: int
        Bits that hold every dot product that occurs; fewer than ``x`` and ``y`` could make where both are common
        formats of narrower operands. 0 stands for what ``x`` and ``y`` need.
    """

    x: IntFormat
    y: IntFormat
    vector: int
    pipeline: int
    sum_width: int
    overflow: Overflow
    dot_width: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.pipeline <= 3:
            raise ValueError(f"pipeline must be 0..3 registers, got {self.pipeline}")
        if self.vector not in (1, 2, 4, 8, 16):
            raise ValueError(f"vector must be one of 1, 2, 4, 8, 16, got {self.vector}")
        if self.sum_width < self.dot_bits:
            raise ValueError(f"sum_width must hold one dot product of {self.dot_bits} bits, got {self.sum_width}")

    @property
    def dot_bits(self) -> int:
        """Bits that hold every dot product that occurs."""
        return self.dot_width or dot_bits(self.x, self.y, self.vector)

    def __str__(self) -> str:
        vector = f"_v{self.vector}" if self.vector > 1 else ""
        overflow = "_sat" if self.overflow == "saturate" else ""
        dot = f"_dot{self.dot_width}" if self.dot_width else ""
        return f"{self.x}_{self.y}{vector}{dot}_acc{self.sum_width}{overflow}_p{self.pipeline}"


class Element(Block):
    """A processing element: ports, whatever the dataflow.

    ``x`` travels west to east, one register an element; ``y`` and ``sum`` north to south. Row controls travel with
    ``x``, one register an element, and are cleared by reset; column controls are seen by a whole column at once.

    Members
    -------
    x_in, x_out: ``vector * x.width`` bits
    y_in, y_out: ``vector * y.width`` bits
    sum_in, sum_out: signed, ``sum_width`` bits
    seed_in, seed_out: like sums, where ``has_seeds``
    <row control>_in, <row control>_out: 1 bit each
    <column control>: 1 bit each
    """

    row_controls: Sequence[str] = ()
    column_controls: Sequence[str] = ()
    has_seeds: bool = False

    def __init__(self, kind: str, operands: Operands) -> None:
        self.operands = operands
        x = unsigned(operands.vector * operands.x.width)
        y = unsigned(operands.vector * operands.y.width)
        total = signed(operands.sum_width)
        members = {"x_in": In(x), "y_in": In(y), "sum_in": In(total)}
        if self.has_seeds:
            members |= {"seed_in": In(total), "seed_out": Out(total)}
        members |= {f"{control}_in": In(1) for control in self.row_controls}
        members |= {control: In(1) for control in self.column_controls}
        members |= {"x_out": Out(x), "y_out": Out(y), "sum_out": Out(total)}
        members |= {f"{control}_out": Out(1) for control in self.row_controls}
        super().__init__(f"pe_{kind}_{operands}", members)
