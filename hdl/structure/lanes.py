"""Values side by side in a word."""

from __future__ import annotations

from amaranth.hdl import Cat, Value


def masked(word: Value, exists: Value, width: int) -> Value:
    """``word`` of values of ``width`` bits, those that do not exist cleared; ``exists`` has a bit for each."""
    return word & Cat(bit.replicate(width) for bit in exists)
