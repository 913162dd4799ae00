"""What all units of elementary functions share: ports, name, results that are fixed."""

from __future__ import annotations

from amaranth.hdl import Value, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.functions.operand import Operand
from tilewright.hdl.numeric import encode
from tilewright.hdl.numeric.functions import OPERAND, Elementary
from tilewright.hdl.structure import Block


class FunctionUnit(Block):
    """Codes of bf16 in at ``x``, the function of them out at ``y``, ``latency`` cycles later, one a cycle.

    Equals ``unit.evaluate`` at every operand. No handshake: who needs one counts its cycles. Registers have no reset.
    """

    latency: int
    """Cycles from ``x`` to ``y``."""

    def __init__(self, unit: Elementary) -> None:
        self.unit, self.out = unit, unit.out
        super().__init__(unit.label, {"x": In(unsigned(OPERAND.width)), "y": Out(unsigned(unit.out.width))})

    def code(self, value: float) -> int:
        """The code of a result."""
        return int(encode(value, self.out))

    def specials(self, operand: Operand) -> dict[str, tuple[Value, int]]:
        """The results of zeros, infinities, operands outside the domain, and NaNs."""
        function, cases = self.unit.function, dict[str, tuple[Value, int]]()
        if function.without_negatives:
            cases["below"] = operand.negative, self.out.nan_bits
        for name, there, (plus, minus) in (
            ("zero", operand.zero, function.at_zero),
            ("infinity", operand.infinite, function.at_infinity),
        ):
            cases[f"{name}_plus"] = there & ~operand.negative, self.code(plus)
            cases[f"{name}_minus"] = there & operand.negative, self.code(minus)
        cases["nan"] = operand.nan, self.out.nan_bits
        return cases
