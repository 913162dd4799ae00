"""Products: just beyond a tile, around the edges of tiles, and as deep as fits with the widest sums."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from tilewright.generators.reference.records import Start, Transfer
from tilewright.hdl.numeric import FloatFormat, Format, IntFormat
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.data import Matrix
from tilewright.sim_tests.system.program import Step
from tilewright.sim_tests.system.shapes import add_product, deepest

SHAPES = 10  # of the ragged ones, for each dataflow


def beyond_a_tile(bench: Bench) -> None:
    """A product just beyond one tile, from each start."""
    c = bench.config
    for dataflow in bench.dataflows:
        author = bench.author()
        for start in Start:
            add_product(author, (c.rows + 1, c.cols + 1, c.rows * c.vector + 1), dataflow, start)
        bench.run(author.steps)


def ragged(bench: Bench) -> None:
    """Extents around the edges of tiles, each combined with others at random."""
    c = bench.config
    for dataflow in bench.dataflows:
        author = bench.author()
        edges = [_edges(unit) for unit in (c.rows, c.cols, c.rows * c.vector)]
        for _ in range(SHAPES):
            m, n, k = (int(bench.rng.choice(extents)) for extents in edges)
            add_product(author, (m, n, k), dataflow, Start(int(bench.rng.integers(3))))
        bench.run(author.steps)


def widest_sums(bench: Bench) -> None:
    """The deepest products that fit, of the largest and smallest operands, and of ones: every bit of a sum is used."""
    a, b = bench.config.a, bench.config.b
    ones = (_one(a), _one(b))
    factors = [*itertools.product(_widest(a), _widest(b)), ones]
    for dataflow in bench.dataflows:
        steps: list[Step] = []
        command = deepest(bench.rules, dataflow)
        for start, (left, right) in itertools.product((Start.ZERO, Start.ACCUMULATE), factors):
            m, n, k = command.m, command.n, command.k
            whole = (left, right) != ones
            before = tuple(range(len(steps)))
            steps += [
                Step(transfer=Transfer(0, m, k), port="a", matrix=_rows(bench, left, (m, k), whole), after=before),
                Step(transfer=Transfer(0, k, n), port="b", matrix=_rows(bench, right, (n, k), whole).T, after=before),
            ]
            steps.append(Step(command=replace(command, start=start), after=tuple(range(len(steps)))))
            steps.append(Step(transfer=Transfer(0, m, n), after=tuple(range(len(steps)))))
        bench.run(steps)


def stalls(bench: Bench) -> None:
    """Random programs under idle sources, slow sinks, and long pauses of both."""
    ports = bench.build.interface.streams
    idle = {port.name: Stall(0.5) for port in ports if port.direction == "in"}
    slow = {port.name: Stall(0.5, wait_for_valid=True) for port in ports if port.direction == "out"}
    for stall in (idle, slow, {port.name: Stall(0.05, 0.03) for port in ports}):
        author = bench.author(filled=True)
        for _ in range(4):
            author.gemm()
        bench.run(author.steps, stall)


def _widest(fmt: Format) -> tuple[int, int]:
    """Codes of two numbers of many bits: the ends of an integer format, or the largest floats below 2 and above -2."""
    if isinstance(fmt, IntFormat):
        # Of numbers without a sign the smallest hides what it is multiplied with: the largest comes twice.
        return fmt.max, fmt.min or fmt.max
    assert isinstance(fmt, FloatFormat)
    below_two = ((fmt.bias + 1) << fmt.fraction_bits) - 1
    return below_two, below_two | fmt.sign_bit


def _one(fmt: Format) -> int:
    """Code of 1."""
    return fmt.bias << fmt.fraction_bits if isinstance(fmt, FloatFormat) else 1


def _edges(unit: int) -> list[int]:
    return sorted({1, 2, 3, max(1, unit - 1), unit, unit + 1, 2 * unit + 1, 13})


def _rows(bench: Bench, factor: int, shape: tuple[int, int], whole: bool) -> Matrix:
    """Rows that begin with ``factor`` and end with zeros: one ``whole``, the others to a random part.

    If none is to be whole, factors and zeros are mixed, few enough that their products do not saturate.
    """
    rows, cols = shape
    if not whole:
        acc = bench.config.acc
        part = min(0.9, acc.max / cols / 4) if isinstance(acc, IntFormat) else 0.9
        return np.where(bench.rng.random(shape) < part**0.5, factor, 0)
    parts = bench.rng.integers(0, cols, rows, endpoint=True)
    parts[bench.rng.integers(rows)] = cols
    return np.where(np.arange(cols) < parts[:, None], factor, 0)
