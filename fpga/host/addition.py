"""Another tensor, added to finished integers on their way to memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from tilewright.fpga.host.checked import positive, whole
from tilewright.fpga.host.deferred import Deferred
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.finishing import Ending, six_of
from tilewright.fpga.host.lookup import Lookup
from tilewright.fpga.host.operands import numbers_of
from tilewright.fpga.host.product_runner import ProductRunner
from tilewright.generators.config.errors import ConfigError, shown
from tilewright.generators.numbers import to_codes
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

    values: ArrayLike | Deferred
    scale: float
    values_scale: float
    sum_scale: float
    zero: int = 0
    sum_zero: int = 0

    def fields(self, out: IntFormat, activation: str | None, six: int | None = None) -> dict[str, int]:
        """Fields of FINISH. Raises ConfigError."""
        scale, values_scale, sum_scale = (
            positive(f"add.{name}", getattr(self, name)) for name in ("scale", "values_scale", "sum_scale")
        )
        zero, sum_zero = (whole(f"add.{name}", getattr(self, name), out.min, out.max) for name in ("zero", "sum_zero"))
        most = (1 << (FACTOR_BITS - out.width)) - 1
        unit = max(scale, values_scale) / most
        try:
            multiplier, shift = fixed_point(unit / sum_scale)
        except (ValueError, OverflowError) as error:
            raise ConfigError(f"add.sum_scale does not go with the others: {error}") from None
        return {
            "left_multiplier": round(scale / unit),
            "right_multiplier": round(values_scale / unit),
            "sum_multiplier": multiplier,
            "sum_shift": shift,
            "right_zero": zero,
            "sum_zero": sum_zero,
            "sum_low": out.min if activation is None else sum_zero,
            "sum_high": six_of(six, sum_zero, out) if activation == "relu6" else out.max,
        }


def of_the_sum(add: Addition | None, activation: str | Lookup | None, six: int | None) -> tuple[Any, int | None]:
    """(activation, six) of results before a sum: a clamp is one of the sum."""
    return (None, None) if add is not None and isinstance(activation, str) else (activation, six)


def adding(
    runner: ProductRunner,
    end: Ending,
    add: Addition | None,
    activation: str | Lookup | None,
    six: int | None,
    shape: tuple[int, ...],
    matrix: tuple[int, int],
    *,
    transpose: bool = False,
) -> list[Ending]:
    """``end`` of each product of a stack, with its part of another tensor, put into memory until the next call.

    ``shape`` is that of the results, each a ``matrix``, or its transpose. Raises ConfigError.
    """
    out = runner.config.result
    if add is None:
        return [end] * (math.prod(shape) // max(1, math.prod(matrix)))
    if not isinstance(add, Addition):
        raise ConfigError(f"add must be an Addition, got {shown(add)}; nearest legal value is None")
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
    fields = add.fields(out, activation if isinstance(activation, str) else None, six)
    places = _places(runner, add.values, shape, matrix[::-1] if transpose else matrix, out)
    added = [Added((place.T if transpose else place).view, fields) for place in places]
    return [replace(end, finish=replace(end.finish, added=each)) for each in added]


def _places(
    runner: ProductRunner, given: ArrayLike | Deferred, shape: tuple[int, ...], matrix: tuple[int, int], out: IntFormat
) -> list[DeviceArray]:
    """The other tensor as matrices in memory: where they lie, or until the next call."""
    values = given if isinstance(given, Deferred) else numbers_of("add.values", given)
    if values.shape != shape:
        raise ConfigError(f"add.values must have shape {shape} as the result has, got {values.shape}")
    flat = (-1, *matrix)
    lies = values.reshape(*flat).lies(runner, out) if isinstance(values, Deferred) and 0 not in shape else None
    if lies is not None:
        return lies
    codes = to_codes("add.values", numbers_of("add.values", values), out, 0).reshape(flat)
    return [runner.temporary("add.values", each, out) for each in codes]
