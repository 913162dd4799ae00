"""Random numbers where arithmetic breaks: values, shapes, stalls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import FloatFormat, Format, FxFormat
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.system.float_data import plain_floats, random_floats, random_windows

Matrix = NDArray[np.int64]

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def random_matrix(rng: np.random.Generator, fmt: Format, rows: int, cols: int) -> Matrix:
    """Codes of ``fmt``; of an integer format: all of them, only its ends, one end, or near zero."""
    shape = (rows, cols)
    if isinstance(fmt, FloatFormat):
        return random_floats(rng, fmt, shape)
    if isinstance(fmt, FxFormat):
        return random_windows(rng, fmt, shape)
    kind = rng.choice(("any", "ends", "lowest", "highest", "small"), p=(0.5, 0.2, 0.1, 0.1, 0.1))
    if kind == "any":
        return rng.integers(fmt.min, fmt.max, shape, endpoint=True)
    if kind == "small":
        return rng.integers(max(fmt.min, -1), 1, shape, endpoint=True)
    ends = {"ends": (fmt.min, fmt.max), "lowest": (fmt.min,), "highest": (fmt.max,)}[kind]
    return rng.choice(np.array(ends, dtype=np.int64), shape)


def telling_matrix(rng: np.random.Generator, fmt: Format, rows: int, cols: int) -> Matrix:
    """Codes of ``fmt`` that hide nothing they are multiplied with: no zeros, and floats around 1."""
    if isinstance(fmt, FloatFormat):
        return plain_floats(rng, fmt, (rows, cols))
    matrix = random_matrix(rng, fmt, rows, cols)
    return np.where(matrix == 0, 1, matrix)


def random_extent(rng: np.random.Generator, units: tuple[int, ...], largest: int) -> int:
    """1..``largest``: near a multiple of one of ``units``, prime, or anything."""
    unit = int(rng.choice(units))
    kind = rng.integers(0, 4)
    if kind == 0:
        extent = int(rng.integers(1, largest + 1))
    elif kind == 1:
        extent = int(rng.choice(_PRIMES))
    elif kind == 2:
        extent = int(rng.choice((1, unit)))
    else:
        extent = int(rng.integers(1, 4)) * unit + int(rng.integers(-1, 2))
    return min(max(extent, 1), largest)


def random_base(rng: np.random.Generator, room: int) -> int:
    """0..``room``, often one of the two ends."""
    return int(rng.choice((0, room, int(rng.integers(0, room + 1))), p=(0.25, 0.25, 0.5)))


def random_stall(rng: np.random.Generator, *, output: bool) -> Stall:
    """No stalls, single ones, or long ones; an output may also wait for valid."""
    kind = rng.choice(("none", "rare", "often", "bursts"), p=(0.35, 0.25, 0.2, 0.2))
    probability = {"none": 0.0, "rare": 0.1, "often": 0.7, "bursts": 0.05}[kind]
    burst = 0.02 if kind == "bursts" else 0.0
    shy = output and bool(rng.random() < 0.2)
    return Stall(probability, burst, (8, 64), wait_for_valid=shy, seed=int(rng.integers(1 << 30)))
