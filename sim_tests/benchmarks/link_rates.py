"""The usual rates of a UART at the clock of a board: which are taken, and what is told of those that are not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tilewright.fpga.boards.baud import divisor_of, error_of
from tilewright.generators.config.errors import ConfigError

RATES = (
    *(9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 921_600),
    *(1_000_000, 1_500_000, 2_000_000, 3_000_000),
)


@dataclass(frozen=True)
class Rates:
    """Of `RATES`: how many are ``taken``, their ``worst`` error in %, and of those that are ``refused`` how many are so
    with nearest rates that are ``near`` and taken themselves."""

    taken: int
    worst: float
    refused: int
    near: int


def rates(clock_hz: int) -> Rates:
    """Those at a clock."""
    errors, refused, near = [], 0, 0
    for rate in RATES:
        try:
            errors.append(100 * abs(error_of(clock_hz, rate, divisor_of(clock_hz, rate))))
        except ConfigError as error:
            refused += 1
            near += _all_taken(clock_hz, str(error))
    return Rates(len(errors), max(errors), refused, near)


def _all_taken(clock_hz: int, sentence: str) -> bool:
    """Whether there are nearest rates in the sentence, all of which are taken."""
    told = [int(word) for word in re.findall(r"\d+", sentence.partition("; nearest legal value")[2])]
    for rate in told:
        divisor_of(clock_hz, rate)
    return bool(told)
