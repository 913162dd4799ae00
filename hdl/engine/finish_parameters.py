"""Parameters of a finish path, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from amaranth.utils import ceil_log2

from tilewright.hdl.arith.float_round import Beyond
from tilewright.hdl.engine.finish_float import FloatFinish
from tilewright.hdl.engine.finish_integer import IntegerFinish
from tilewright.hdl.numeric import FloatFormat, Format, FxFormat, IntFormat, code_format
from tilewright.hdl.numeric.requantise import Rounding


@dataclass(frozen=True)
class FinishParameters:
    """Everything that distinguishes one finish path from another.

    Parameters
    ----------
    lanes: int
        Elements of a beat.
    acc: Format
        Of accumulators: a signed integer, fp32 or a window.
    result: Format
        Of results: an integer of 2..16 bits from integers, a float from the others.
    rounding: Rounding
        Of integers.
    overflow: Beyond
        Of floats.
    functions: tuple of str
        Activations of floats that are built in, beside none and relu.
    channels: int
        What the channel memory holds; 0: there is none, and multiplier and shift are always those of the tensor.
    zero: IntFormat or None
        Format of ``zero_b``, that of B; None: nothing is corrected.
    sum_rows, sum_width: int
        Entries of the row sums and their bits, where there is a ``zero``.
    """

    lanes: int
    acc: Format
    result: Format
    rounding: Rounding = "half_even"
    overflow: Beyond = "ieee"
    functions: tuple[str, ...] = ()
    channels: int = 0
    zero: IntFormat | None = None
    sum_rows: int = 0
    sum_width: int = 0

    def __post_init__(self) -> None:
        if self.lanes < 1:
            raise ValueError(f"lanes must be at least 1, got {self.lanes}")
        if self.channels < 0:
            raise ValueError(f"channels must be at least 0, got {self.channels}; nearest legal value is 0")
        if self.zero is not None and not (self.sum_rows > 0 and self.sum_width > 0):
            raise ValueError(
                f"a zero point needs sums of at least 1 row and 1 bit, got {self.sum_rows} and {self.sum_width}"
            )
        integers = isinstance(self.acc, IntFormat)
        if integers != isinstance(self.result, IntFormat):
            kind = "an integer" if integers else "a float"
            raise ValueError(f"result of {self.acc} must be {kind} format, got {self.result}")
        if isinstance(self.result, FxFormat):
            raise ValueError(f"result must be no window, got {self.result}")
        if not integers and (self.channels or self.zero is not None):
            raise ValueError(f"channels and zero are for integers, got accumulators of {self.acc}")

    @cached_property
    def lane(self) -> IntegerFinish | FloatFinish:
        """What a lane does."""
        if isinstance(self.acc, IntFormat):
            assert isinstance(self.result, IntFormat)
            return IntegerFinish(self.acc, self.result, self.rounding, self.correction_width)
        assert isinstance(self.result, FloatFormat)
        return FloatFinish(self.acc, self.result, self.overflow, self.functions)

    @property
    def acc_bits(self) -> int:
        """Bits of an accumulator's code."""
        return code_format(self.acc).width

    @property
    def zero_bits(self) -> int:
        """Bits of ``zero_b`` as a signed number; 0 where nothing is corrected."""
        return self.zero.width + (not self.zero.signed) if self.zero is not None else 0

    @property
    def correction_width(self) -> int:
        """Bits of ``zero_b`` times a row sum."""
        return self.zero_bits + self.sum_width if self.zero is not None else 0

    @property
    def channel_words(self) -> int:
        """Words of the channel memory."""
        return -(-self.channels // self.lanes)

    @property
    def channel_address_bits(self) -> int:
        """Bits of a word's number."""
        return max(1, ceil_log2(self.channel_words))

    @property
    def sum_address_bits(self) -> int:
        """Bits of a row's number."""
        return max(1, ceil_log2(self.sum_rows))

    @property
    def name(self) -> str:
        """What tells them in the name of a block."""
        channels = f"_channels{self.channel_words}" if self.channels else ""
        sums = f"_sums{self.sum_rows}x{self.sum_width}" if self.zero is not None else ""
        return f"{self.lanes}_{self.lane.name.removeprefix('finish_')}{channels}{sums}"
