"""Comparisons with constants that take no carry chain where the constant is a power of two, or one less."""

from __future__ import annotations

from amaranth.hdl import Value


def at_most(value: Value, bound: int) -> Value:
    """``value <= bound``; ``value`` is unsigned, ``bound`` at least 0."""
    if bound & (bound + 1) == 0:
        return ~value[bound.bit_length() :].any()
    if bound & (bound - 1) == 0:
        top = bound.bit_length() - 1
        return ~(value[top + 1 :].any() | (value[top] & value[:top].any()))
    return value <= bound
