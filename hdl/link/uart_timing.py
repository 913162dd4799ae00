"""How many cycles a bit of a UART has."""

from __future__ import annotations

LEAST_DIVISOR = 8
"""Cycles of a bit, at least: two for the synchroniser, and half a bit has to be told from a whole one."""
LARGEST_DIVISOR = 1 << 16


def check_divisor(divisor: int) -> None:
    """Raises ValueError for a number of cycles that a bit cannot have."""
    if not LEAST_DIVISOR <= divisor <= LARGEST_DIVISOR:
        raise ValueError(f"divisor must be {LEAST_DIVISOR}..{LARGEST_DIVISOR} cycles a bit, got {divisor}")
