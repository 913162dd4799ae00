"""A function of finished integers, as the table that an engine looks them up in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.fpga.host.checked import one_of, plain, whole
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.numbers import as_array, to_codes
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.tabulate import TABULATED, tabulate

_LEAST, _MOST = 2.0**-64, 2.0**64


@dataclass(frozen=True)
class Lookup:
    """``out_zero + round(function((x - zero_point) * scale) / out_scale)`` for each result x, clamped to its format.

    The table is nearest to the function, ties to even (`tabulate`). ``zero_point`` is that of the product, which brings
    sums to the scale of the function's operands first.

    Args:
        function: ``sigmoid``, ``tanh``, ``silu`` or ``gelu``; or any other as 2^bits results, in the order of the bits
            of x: for int8 those of 0 to 127, then those of -128 to -1. Scales and zero are those of a name.
        scale, out_scale: what 1 in x and in results stands for.
        out_zero: the result that stands for 0.
    """

    function: str | ArrayLike
    scale: float = 1.0
    out_scale: float = 1.0
    out_zero: int = 0

    def table(self, config: EngineConfig, zero_point: int) -> NDArray[np.int64]:
        """The entries, in the order of the bits of x. Raises ConfigError."""
        out = config.result
        if not config.table or not isinstance(out, IntFormat):
            raise ConfigError("activation must not be a Lookup on an engine without table (field table)")
        if not isinstance(self.function, str):
            entries = as_array("function", self.function)
            if entries.shape != (1 << out.width,):
                raise ConfigError(
                    f"function must be one of {', '.join(TABULATED)}, or {1 << out.width} results, "
                    f"got an array of shape {entries.shape}"
                )
            codes: NDArray[np.int64] = to_codes("function", entries[None, :], out, 0)[0]
            return codes
        one_of("function", self.function, tuple(TABULATED))
        scale, out_scale = (_scale(name, getattr(self, name)) for name in ("scale", "out_scale"))
        zero = whole("out_zero", self.out_zero, out.min, out.max)
        return tabulate(self.function, out, scale, zero_point, out_scale, zero)


def _scale(name: str, value: Any) -> float:
    number = plain(value)
    real = isinstance(number, int | float | np.floating | np.integer) and not isinstance(number, bool)
    if not (real and _LEAST <= number <= _MOST):
        raise ConfigError(must_be(name, "a number from 2**-64 to 2**64", value, 1.0))
    return float(number)
