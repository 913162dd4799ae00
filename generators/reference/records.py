"""What goes into a core and comes out of it, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Dataflow(IntEnum):
    """What stays in the processing elements."""

    WS = 0
    OS = 1
    IS = 2


class Start(IntEnum):
    """What a command's C starts from."""

    ZERO = 0
    BIAS = 1
    ACCUMULATE = 2


class Status(IntEnum):
    """How a command or transfer ended; the first that applies, in this order."""

    OK = 0
    EMPTY = 1
    BAD_DATAFLOW = 2
    BAD_START = 3
    A_OUT_OF_RANGE = 4
    B_OUT_OF_RANGE = 5
    C_OUT_OF_RANGE = 6
    BIAS_OUT_OF_RANGE = 7
    OUT_OF_RANGE = 8
    IN_USE = 9
    LENGTH = 10
    BIAS_IN_C = 11
    BAD_POINT = 12


@dataclass(frozen=True)
class Command:
    """A GEMM: C (M x N) = start + A (M x K) @ B (K x N); bases in words; ``point`` is the binary point
    of accumulators that are windows. Any field may hold an illegal value."""

    m: int
    n: int
    k: int
    dataflow: int
    start: int = Start.ZERO
    a_base: int = 0
    b_base: int = 0
    c_base: int = 0
    bias_base: int = 0
    region: int = 0
    point: int = 0


@dataclass(frozen=True)
class Transfer:
    """A load or read-out of ``rows`` x ``cols`` values; ``region`` is of C only."""

    base: int
    rows: int
    cols: int
    region: int = 0
