"""What becomes of accumulators on their way to memory, as a user asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.fpga.host.checked import left_out, one_of, switch, whole
from tilewright.fpga.host.lookup import Lookup
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.numbers import as_array, from_codes
from tilewright.generators.program.product import Finish
from tilewright.hdl.engine.records import Activation
from tilewright.hdl.numeric import Format, IntFormat
from tilewright.hdl.numeric.requantise import ACC_BITS, MULTIPLIER_BITS, fixed_point
from tilewright.hdl.numeric.tabulate import TABULATED

_CLAMPS = ("relu", "relu6")
_LEAST, _MOST = 2.0**-32, float((1 << MULTIPLIER_BITS) - 1)
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Ending:
    """How results are finished, None for raw ones, and the format that they then have.

    ``factors`` are multipliers and shifts of the channels where each has its own, ``entries`` those of the table that
    results are looked up in.
    """

    finish: Finish | None
    format: Format
    factors: tuple[Integers, Integers] | None = None
    entries: Integers | None = None

    def with_zero_of_b(self, config: EngineConfig, b_zero: int) -> Ending:
        """The same, of a B whose zero point is ``b_zero``."""
        if not isinstance(config.b, IntFormat):
            left_out("b_zero", b_zero, 0, f"for operands of {config.b}")
            return self
        zero = whole("b_zero", b_zero, config.b.min, config.b.max)
        if not zero:
            return self
        if self.finish is None or not config.row_sums:
            rule = "results that are not finished" if self.finish is None else "an engine without row_sums"
            raise ConfigError(f"b_zero must be 0 for {rule}, got {b_zero}; nearest legal value is 0")
        return replace(self, finish=replace(self.finish, b_zero=zero))

    def pooled(self, config: EngineConfig, shape: tuple[int, int, int]) -> Ending:
        """The same, pooled; ``shape`` is (pictures, height, width) of what is pooled."""
        if self.finish is None or not config.pool_words:
            rule = "for results that are not finished" if self.finish is None else "on an engine without pool_words"
            raise ConfigError(f"pool must be False {rule}, got True; nearest legal value is False")
        if shape[1] % 2 or shape[2] % 2:
            raise ConfigError(f"pool must be of results of even height and width, got {shape[1]} x {shape[2]}")
        return replace(self, finish=replace(self.finish, pool_width=shape[2]))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the arrays that users get."""
        if not isinstance(self.format, IntFormat):
            return np.dtype(np.float32)
        if self.finish is None:
            return np.dtype(np.int32 if self.format.width <= 32 else np.int64)
        kind = "int" if self.format.signed else "uint"
        return np.dtype(f"{kind}{8 if self.format.width <= 8 else 16}")

    def numbers(self, codes: Integers, point: int) -> NDArray[Any]:
        """Codes as the arrays that users get."""
        return from_codes(codes, self.format, point).astype(self.dtype)


def ending(
    config: EngineConfig,
    columns: int,
    scale: ArrayLike | None,
    zero_point: int,
    activation: str | Lookup | None,
    narrow: bool,
    six: int | None,
) -> Ending:
    """What was asked for. Raises ConfigError where the engine cannot do it.

    Args:
        columns: N.
        scale, zero_point, activation, narrow: see `Accelerator.matmul`.
        six: the result that stands for 6, with ``relu6``.
    """
    if isinstance(config.acc, IntFormat):
        left_out("narrow", narrow, False, f"for accumulators {config.acc}")
        if isinstance(activation, Lookup):
            found = _integers(config, columns, scale, zero_point, None, six)
            return _looked_up(config, found, activation)
        return _integers(config, columns, scale, zero_point, activation, six)
    if isinstance(activation, Lookup):
        raise ConfigError(f"activation must be a name for accumulators {config.acc}, got a Lookup; nearest is 'relu'")
    for name, value, default in (("scale", scale, None), ("zero_point", zero_point, 0), ("six", six, None)):
        left_out(name, value, default, f"for accumulators {config.acc}")
    narrow = switch("narrow", narrow)
    if activation is not None:
        one_of("activation", activation, ("relu", *config.functions))
    if activation is None and not narrow:
        return Ending(None, config.acc)
    chosen = Activation.NONE if activation is None else Activation[activation.upper()]
    return Ending(Finish(activation=chosen.value), config.result)


def _looked_up(config: EngineConfig, end: Ending, lookup: Lookup) -> Ending:
    """``end`` with a function of results."""
    if end.finish is None:
        raise ConfigError("activation Lookup must come with a scale; results without one are C itself")
    return replace(end, finish=replace(end.finish, table=0), entries=lookup.table(config, end.finish.zero_point))


def _integers(
    config: EngineConfig,
    columns: int,
    scale: ArrayLike | None,
    zero_point: int,
    activation: str | None,
    six: int | None,
) -> Ending:
    assert isinstance(config.result, IntFormat)
    out = config.result
    if isinstance(activation, str) and activation in TABULATED and config.table:
        raise ConfigError(f"activation {activation} of integers must be a Lookup, which tells its scales")
    if activation is not None:
        one_of("activation", activation, _CLAMPS)
    if activation != "relu6":
        left_out("six", six, None, "without relu6")
    if scale is None:
        left_out("zero_point", zero_point, 0, "without a scale")
        if activation is not None:
            raise ConfigError(f"activation {activation} must come with a scale; results without one are C itself")
        return Ending(None, config.acc)
    zero_point = whole("zero_point", zero_point, out.min, out.max)
    low = zero_point if activation in _CLAMPS else out.min
    high = out.max
    if activation == "relu6":
        high = six_of(six, zero_point, out)
    scales = as_array("scale", scale)
    if scales.dtype.kind not in "iuf":
        raise ConfigError(must_be("scale", f"numbers from {_LEAST} to {_MOST}", scale, 1.0))
    least = _least_scale(config, max(high - zero_point, zero_point - low))
    if scales.ndim == 0:
        multiplier, shift = _factor(float(scales), least)
        return Ending(Finish(multiplier, shift, zero_point, low, high), out)
    if scales.shape != (columns,):
        raise ConfigError(f"scale must be one number or one for each of {columns} columns, got shape {scales.shape}")
    if columns > config.channels:
        raise ConfigError(
            f"scale must be one number, or one for each of at most {config.channels} columns on this engine "
            f"(field channels), got {columns}"
        )
    factors = [_factor(float(each), least) for each in scales]
    multipliers, shifts = (np.array(part, dtype=np.int64) for part in zip(*factors, strict=True))
    return Ending(Finish(zero_point=zero_point, low=low, high=high, channels=0), out, (multipliers, shifts))


def six_of(six: int | None, zero: int, out: IntFormat) -> int:
    """The result that stands for 6, where ``zero`` stands for 0. Raises ConfigError."""
    if six is None:
        raise ConfigError("six must be told with relu6: the result that stands for 6")
    return whole("six", six, zero, out.max)


def _least_scale(config: EngineConfig, reach: int) -> float:
    """The smallest scale: of wide accumulators one with which sums beyond 33 bits, which saturate before they are
    scaled, are beyond the ``reach`` of results, too."""
    wide = config.acc is not None and config.acc.width > ACC_BITS
    return max(_LEAST, reach / ((1 << (ACC_BITS - 1)) - 1)) if wide else _LEAST


def _factor(scale: float, least: float) -> tuple[int, int]:
    if not least <= scale <= _MOST:
        nearest = _MOST if scale > _MOST else least
        raise ConfigError(must_be("scale", f"numbers from {least} to {_MOST}", scale, nearest))
    return fixed_point(scale)
