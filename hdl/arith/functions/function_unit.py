"""The unit of an elementary function, by its name."""

from __future__ import annotations

from tilewright.hdl.arith.functions.binades import BinadesUnit
from tilewright.hdl.arith.functions.fraction import FractionUnit
from tilewright.hdl.arith.functions.logarithm import LogarithmUnit
from tilewright.hdl.arith.functions.power import PowerUnit
from tilewright.hdl.arith.functions.unit import FunctionUnit
from tilewright.hdl.numeric import BF16, FloatFormat
from tilewright.hdl.numeric.functions import ERROR, Binades, Fraction, Logarithm, Shape, elementary


def function_unit(name: str, out: FloatFormat = BF16, error: float = ERROR, shape: Shape | None = None) -> FunctionUnit:
    """The block that equals ``elementary(name, out, error, shape)``, with ``x``, ``y`` and ``latency``.

    Raises ValueError for what ``elementary`` refuses.
    """
    unit = elementary(name, out, error, shape)
    match unit.reduction:
        case Fraction():
            return FractionUnit(unit)
        case Logarithm():
            return LogarithmUnit(unit)
        case Binades():
            return BinadesUnit(unit)
        case _:
            return PowerUnit(unit)
