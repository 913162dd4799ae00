"""The value nearest to a refused one with which a whole configuration is legal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from tilewright.generators.config.rules import Choice, Flag, NumberFormat, Rule, Whole, nearest_names
from tilewright.hdl.numeric import FxFormat, IntFormat, parse_format

_TRIED = 512
"""Whole numbers of a field up to which all of them are tried."""


def nearest_legal(rule: Rule, first: Any, legal: Callable[[Any], bool]) -> Any:
    """The value that ``rule`` admits and ``legal`` takes that is nearest to ``first``, which ``rule`` admits.

    ``first`` itself where there is none. Where a field has more than `_TRIED` numbers, those are taken to be legal on
    one side of a bound, or between two.
    """
    if legal(first):
        return first
    if isinstance(rule, Whole) and rule.high - rule.low >= _TRIED:
        return _bisected(rule, first, legal)
    return next((value for value in _by_distance(rule, first) if legal(value)), first)


def _by_distance(rule: Rule, first: Any) -> Iterator[Any]:
    """All that ``rule`` admits but ``first``, what is nearest to that before the rest."""
    match rule:
        case Whole():
            yield from _numbers(rule.low, rule.high, first)
        case NumberFormat():
            yield from _formats(rule, first)
        case Flag():
            yield not first
        case Choice() if isinstance(first, str):
            yield from nearest_names(first, [str(value) for value in rule.values])[1:]
        case Choice():
            yield from sorted(rule.values, key=lambda value: abs(int(value) - first))[1:]


def _formats(rule: NumberFormat, first: Any) -> Iterator[Any]:
    """Others of the kind of ``first``, then the floats, then windows and integers, the narrowest of them first."""
    if isinstance(first, IntFormat):
        yield from (IntFormat(width, first.signed) for width in _numbers(rule.low, rule.high, first.width))
    if isinstance(first, FxFormat) and rule.windows:
        yield from (FxFormat(width) for width in _numbers(*rule.windows, first.width))
    yield from (parse_format(name) for name in nearest_names(str(first), rule.floats))
    if rule.windows:
        yield from (FxFormat(width) for width in range(rule.windows[0], rule.windows[1] + 1))
    yield from (IntFormat(width) for width in range(rule.low, rule.high + 1))


def _numbers(low: int, high: int, first: int) -> Iterator[int]:
    for step in range(1, high - low + 1):
        yield from (number for number in (first - step, first + step) if low <= number <= high)


def _bisected(rule: Whole, first: int, legal: Callable[[Any], bool]) -> int:
    """Goes from ``first`` either way in doubling steps, and back to the first that is legal."""
    steps = (1 << exponent for exponent in count())
    refused = {-1: first, 1: first}
    for step in steps:
        if step > 2 * (rule.high - rule.low):
            return first
        for side in (-1, 1):
            found = max(rule.low, min(rule.high, first + side * step))
            if not legal(found):
                refused[side] = found
                continue
            while abs(found - refused[side]) > 1:
                middle = (found + refused[side]) // 2
                found, refused[side] = (middle, refused[side]) if legal(middle) else (found, middle)
            return found
    return first
