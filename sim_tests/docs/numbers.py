"""The tables of floats and of windows, from the formats that models and RTL share."""

from __future__ import annotations

from tilewright.generators.config.arithmetic import FLOAT_OPERANDS
from tilewright.hdl.numeric import (
    FLOAT_FORMATS,
    FloatFormat,
    FxFormat,
    exact_point,
    exact_width,
    highest_point,
    product_width,
)
from tilewright.sim_tests.docs.pages import table

_WINDOWS = (32, 48, 60)


def float_formats() -> str:
    """Every float format: fields, range, special codes."""
    lines = []
    for name in (*FLOAT_OPERANDS, "fp32"):
        fmt = FloatFormat.parse(name)
        infinity = "none" if fmt.infinity_bits is None else _code(fmt.infinity_bits, fmt)
        lines.append(
            (
                f"`{fmt}`",
                f"1 + {fmt.exponent_bits} + {fmt.fraction_bits}",
                fmt.bias,
                _value(fmt.largest),
                f"2^{fmt.emin}",
                f"2^{fmt.last_place}",
                infinity,
                _code(fmt.nan_bits, fmt),
            )
        )
    assert len(lines) == len(FLOAT_FORMATS)
    heads = ("format", "sign, exponent, fraction bits", "bias", "largest", "smallest normal", "smallest", "infinity")
    return table((*heads, "NaN that comes out"), lines, right=range(2, 6))


def windows() -> str:
    """Which windows hold what of the products of each float format, by itself."""
    lines = []
    for name in FLOAT_OPERANDS:
        fmt = FloatFormat.parse(name)
        points = (highest_point(FxFormat(width), fmt, fmt) for width in _WINDOWS)
        lines.append(
            (
                f"{fmt} x {fmt}",
                f"`fx{product_width(fmt, fmt)}`",
                f"fx{exact_width(fmt, fmt)}",
                exact_point(fmt, fmt),
                *points,
            )
        )
    highest = (f"highest point, fx{width}" for width in _WINDOWS)
    heads = ("operands", "narrowest", "would hold all products", "exact from point", *highest)
    return table(heads, lines, right=range(3, 4 + len(_WINDOWS)))


def _code(bits: int, fmt: FloatFormat) -> str:
    return f"`0x{bits:0{fmt.width // 4}x}`"


def _value(number: float) -> str:
    return f"{number:,.0f}" if number < 1e6 else f"{number:.5g}"
