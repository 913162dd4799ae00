"""Single values of a user's: taken, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tilewright.generators.config.errors import ConfigError, must_be, unknown
from tilewright.generators.config.rules import Whole


def plain(value: Any) -> Any:
    """An array without dimensions as the number in it; anything else as it is."""
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


def whole(name: str, value: Any, low: int, high: int) -> int:
    """An integer ``low..high`` of any library, no truth value. Raises ConfigError."""
    rule = Whole(low, high)
    number = rule.take(plain(value))
    if number is None:
        raise ConfigError(must_be(name, rule.text, value, nearest_whole(rule, plain(value))))
    return number


def nearest_whole(rule: Whole, value: Any) -> int:
    """The legal value nearest to ``value``, or to 0 where that is no number."""
    if isinstance(value, np.generic):
        value = value.item()
    number = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return rule.nearest(value if number else 0)


def left_out(name: str, value: Any, default: Any, why: str) -> None:
    """Raises ConfigError where ``value`` is not its ``default``: it would have no meaning."""
    number = plain(value)
    if value is default or (np.isscalar(number) and number == default):
        return
    raise ConfigError(must_be(name, f"left out {why}", value, default))


def one_of(kind: str, name: Any, names: Iterable[str]) -> str:
    """``name``, which must be one of ``names``. Raises ConfigError."""
    known = tuple(names)
    if not isinstance(name, str) or name not in known:
        raise ConfigError(unknown(kind, name, known))
    return name


def switch(name: str, value: Any) -> bool:
    """A truth value of any library. Raises ConfigError."""
    if not isinstance(plain(value), bool | np.bool_):
        raise ConfigError(must_be(name, "True or False", value, False))
    return bool(value)


def positive(name: str, value: Any) -> float:
    """A finite number above 0 of any library. Raises ConfigError."""
    number = plain(value)
    real = isinstance(number, int | float | np.integer | np.floating) and not isinstance(number, bool)
    if not real or not 0 < number < float("inf"):
        raise ConfigError(must_be(name, "a finite number above 0", value, 1.0))
    try:
        return float(number)
    except OverflowError:  # an integer that no float holds
        raise ConfigError(must_be(name, "a finite number above 0", value, 1.0)) from None
