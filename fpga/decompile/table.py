"""Look-up tables as expressions."""

from __future__ import annotations

from collections.abc import Sequence


def expression(table: Sequence[bool], inputs: Sequence[str]) -> str:
    """A table, entry 0 first, of ``inputs``, the one of most weight first; without inputs that do not matter."""
    if all(table) or not any(table):
        return f"1'b{int(table[0])}"
    half = len(table) // 2
    low, high = (expression(part, inputs[1:]) for part in (table[:half], table[half:]))
    if low == high or inputs[0] == "1'b0":
        return low
    if inputs[0] == "1'b1":
        return high
    if (low, high) == ("1'b0", "1'b1"):
        return inputs[0]
    if (low, high) == ("1'b1", "1'b0"):
        return f"~{inputs[0]}"
    return f"({inputs[0]} ? {high} : {low})"
