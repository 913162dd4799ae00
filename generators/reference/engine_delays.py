"""Cycles on the ways of data between memory and the core, as far as they depend on what is built in."""

from __future__ import annotations

from typing import NamedTuple

from tilewright.generators.config.engine import EngineConfig
from tilewright.hdl.numeric import BF16, IntFormat

FLOW = 1  # the queue behind stages that cannot wait
BUFFER = 1
REQUANTISE = 4  # stages
CONVERT = 4
FUNCTIONS = {"gelu": 5, "tanh": 5, "sigmoid": 6, "silu": 7}
PARAMETERS = 1  # to read those of a channel, and the sum of a row
CORRECTION = 3  # to take the zero point of B out, and to narrow what that leaves
SATURATE = 1  # accumulators beyond 32 bits
CLAMP = 1
TABLE = 2
ADD = 3
POOL = 2
TURN = 2  # a row of a matrix that is not turned, through the transposer


class Delays(NamedTuple):
    """Cycles, and beats that wait on these ways when nothing goes on: those of results, and of A and B to the core."""

    finish: int
    finishing: int
    into: tuple[int, int]
    waiting: tuple[int, int]


def delays(config: EngineConfig) -> Delays:
    """Of an engine."""
    stages = [_finish(config)]
    buffers = 0
    if isinstance(config.acc, IntFormat) and config.result is not None:
        stages += [TABLE] * config.table
        if config.adds:
            stages.append(ADD + REQUANTISE + CLAMP)
            buffers += BUFFER
    stages += [POOL] * (config.pool_words > 0)
    turn, sums = config.transposer > 0, config.row_sums > 0
    a = turn * (TURN + FLOW) + sums * BUFFER
    b = turn * (TURN + FLOW)
    return Delays(
        sum(stages) + FLOW * len(stages) + buffers,
        sum(_places(stage) for stage in stages) + 2 * buffers,
        (a, b),
        (turn * _places(TURN) + 2 * sums, turn * _places(TURN)),
    )


def _finish(config: EngineConfig) -> int:
    acc, result = config.acc, config.result
    if isinstance(acc, IntFormat):
        saturates = CORRECTION if config.row_sums else SATURATE * (acc.width > 32)
        return PARAMETERS + saturates + REQUANTISE + CLAMP
    function = max((FUNCTIONS[name] for name in config.functions), default=0)
    back = function and (result != BF16 or config.overflow not in (None, "ieee"))
    return PARAMETERS + CONVERT + function + CONVERT * bool(back) + CLAMP


def _places(stages: int) -> int:
    """Beats in a queue that holds all that are on their way to it when it is empty."""
    return 1 << (stages + FLOW).bit_length()
