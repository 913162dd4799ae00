"""Another tensor, added to finished integers on their way to memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from tilewright.fpga.host.finishing import Ending
from tilewright.fpga.host.lookup import Lookup
from tilewright.fpga.host.product_runner import ProductRunner
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.numbers import as_array, to_codes
from tilewright.generators.program.product import Added
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import fixed_point

FACTOR_BITS = 31  # less those of the format: factors that leave the sum within 33 bits


@dataclass(frozen=True)
class Addition:
    """``sum_zero + round(((x - zero_point) * scale + (values - zero) * values_scale) / sum_scale)``, x the results.

    Both scales are rounded to whole factors of ``31 - bits`` bits, the larger one is the largest such factor; all else
    is exact but for the one rounding, to nearest even. An activation is one of the sum, but a `Lookup` is one of x,
    whose zero point is still that of the product.

    Args:
        values: integers of the format of results, in the shape of the result.
        scale, values_scale, sum_scale: what 1 in results, values and sum stands for.
        zero, sum_zero: zero points of values and sum.
    """

    values: ArrayLike
    scale: float
    values_scale: float
    sum_scale: float
    zero: int = 0
    sum_zero: int = 0

    def fields(self, out: IntFormat, activation: str | None) -> dict[str, int]:
        """Fields of FINISH."""
        for name in ("scale", "values_scale", "sum_scale"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} must be above 0, got {getattr(self, name)!r}")
        most = (1 << (FACTOR_BITS - out.width)) - 1
        unit = max(self.scale, self.values_scale) / most
        try:
            multiplier, shift = fixed_point(unit / self.sum_scale)
        except ValueError as error:
            raise ConfigError(f"sum_scale does not go with the others: {error}") from None
        return {
            "left_multiplier": round(self.scale / unit),
            "right_multiplier": round(self.values_scale / unit),
            "sum_multiplier": multiplier,
            "sum_shift": shift,
            "right_zero": self.zero,
            "sum_zero": self.sum_zero,
            "sum_low": self.sum_zero if activation == "relu" else out.min,
            "sum_high": out.max,
        }


def adding(
    runner: ProductRunner,
    end: Ending,
    add: Addition | None,
    activation: str | Lookup | None,
    shape: tuple[int, int],
) -> Ending:
    """``end`` with another tensor added, which is put into memory until the next call. Raises ConfigError."""
    out = runner.config.result
    if add is None:
        return end
    if end.finish is None or not runner.config.adds or not isinstance(out, IntFormat):
        rule = "for results that are not finished" if end.finish is None else "on an engine without adds"
        raise ConfigError(f"add must be None {rule}, got an Addition; nearest legal value is None")
    if isinstance(activation, Lookup) and isinstance(activation.function, str):
        zero = end.finish.zero_point
        if activation.out_zero != zero:
            raise ConfigError(
                f"out_zero must be zero_point where another tensor is added, {zero}, got {activation.out_zero}; "
                f"nearest legal value is {zero}"
            )
    values = as_array("add.values", add.values)
    if values.size != shape[0] * shape[1]:
        raise ConfigError(f"add.values must have {shape[0] * shape[1]} values as the result has, got {values.size}")
    codes = to_codes("add.values", values.reshape(shape), out, 0)
    name = activation if isinstance(activation, str) else None
    added = Added(runner.temporary("add.values", codes, out).view, add.fields(out, name))
    low = out.min if activation is not None else end.finish.low
    return replace(end, finish=replace(end.finish, low=low, added=added))
