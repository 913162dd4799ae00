"""How elements of any format lie in memories and in beats: as codes, which are integers."""

from __future__ import annotations

from typing import TypeAlias

from tilewright.hdl.numeric.floating import FLOAT_FORMATS, FloatFormat
from tilewright.hdl.numeric.integer import IntFormat
from tilewright.hdl.numeric.window import FxFormat
from tilewright.hdl.numeric.window_code import FLAG_BITS

Format: TypeAlias = IntFormat | FloatFormat | FxFormat
"""A format of operands, or of what accumulates their products."""


def parse_format(name: str) -> Format:
    """The format called ``name``, of any kind. Raises ValueError for any other name."""
    if name in FLOAT_FORMATS:
        return FLOAT_FORMATS[name]
    for kind in (IntFormat, FxFormat):
        try:
            return kind.parse(name)
        except ValueError:
            continue
    raise ValueError(f"format must be int<N>, uint<N>, fx<N> or one of {', '.join(FLOAT_FORMATS)}, got {name!r}")


def code_format(fmt: Format) -> IntFormat:
    """The integers that stand for the values of ``fmt``: an integer format's own, else codes without a sign.

    Raises ValueError for a window so wide that its code does not fit in 64 bits.
    """
    if isinstance(fmt, IntFormat):
        return fmt
    return IntFormat(fmt.width + (FLAG_BITS if isinstance(fmt, FxFormat) else 0), signed=False)


def container_bytes(fmt: Format) -> int:
    """Bytes that a value of ``fmt`` takes in memory: the next power of two that holds its code, low bits first."""
    return max(1, (1 << (code_format(fmt).width - 1).bit_length()) // 8)
