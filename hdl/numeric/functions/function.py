"""What an elementary function is: its values, its results where they are no matter of precision, its reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric.codes import Codes, encode
from tilewright.hdl.numeric.floating import BF16, FloatFormat
from tilewright.hdl.numeric.functions import values
from tilewright.hdl.numeric.functions.values import Floats, quietly

OPERAND = BF16
"""Format of the operand of every elementary function."""


@dataclass(frozen=True)
class Function:
    """An elementary function of one operand in bf16.

    ``at_infinity`` and ``at_zero`` are the results of +inf and -inf, and of +0 and -0, as C99 (annex F) has them.
    Operands below zero of a function ``without_negatives`` give NaN, and NaN gives the one NaN of the result's format.
    """

    name: str
    formula: str
    value: Callable[[Floats], Floats]
    at_infinity: tuple[float, float]
    at_zero: tuple[float, float]
    without_negatives: bool = False

    def fixed(self, bits: NDArray[np.int64], out: FloatFormat) -> NDArray[np.int64]:
        """The results of zeros, infinities, NaNs and operands outside the domain, as codes of ``out``; else -1."""
        negative, magnitude = bits >= OPERAND.sign_bit, bits & (OPERAND.sign_bit - 1)
        infinity = OPERAND.infinity_bits
        assert infinity is not None
        found = np.where(negative & self.without_negatives, out.nan_bits, -1)
        for place, results in ((0, self.at_zero), (infinity, self.at_infinity)):
            plus, minus = (int(code) for code in encode(np.array(results), out))
            found = np.where(magnitude == place, np.where(negative, minus, plus), found)
        return np.where(magnitude > infinity, out.nan_bits, found)

    def correct(self, x: Floats, out: FloatFormat) -> Codes:
        """The codes of ``out`` nearest to the function of ``x``, which is finite, not zero, and in the domain."""
        return encode(quietly(self.value, x), out)


_INF, _NAN = float("inf"), float("nan")

FUNCTIONS: Mapping[str, Function] = {
    function.name: function
    for function in (
        Function("exp", "e^x", np.exp, (_INF, 0.0), (1.0, 1.0)),
        Function("reciprocal", "1 / x", values.reciprocal, (0.0, -0.0), (_INF, -_INF)),
        Function("rsqrt", "1 / sqrt(x)", values.rsqrt, (0.0, _NAN), (_INF, -_INF), without_negatives=True),
        Function("sqrt", "sqrt(x)", np.sqrt, (_INF, _NAN), (0.0, -0.0), without_negatives=True),
        Function("log2", "log2(x)", np.log2, (_INF, _NAN), (-_INF, -_INF), without_negatives=True),
        Function("sigmoid", "1 / (1 + e^-x)", values.sigmoid, (1.0, 0.0), (0.5, 0.5)),
        Function("tanh", "tanh(x)", values.tanh, (1.0, -1.0), (0.0, -0.0)),
        Function("silu", "x / (1 + e^-x)", values.silu, (_INF, -0.0), (0.0, -0.0)),
        Function("gelu", "x (1 + erf(x / sqrt(2))) / 2", values.gelu, (_INF, -0.0), (0.0, -0.0)),
    )
}
"""All by their names."""
