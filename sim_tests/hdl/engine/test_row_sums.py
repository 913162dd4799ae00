"""Sums of rows: parts along K, hazards, when they can be read, what passes through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.reference.finish import row_sums
from tilewright.hdl.engine.records import SUM_ORDER
from tilewright.hdl.engine.row_sums import RowSums
from tilewright.hdl.numeric import IntFormat, wrap
from tilewright.sim_tests.harness import Result
from tilewright.sim_tests.hdl.engine.finish_blocks import SUMS, bench
from tilewright.sim_tests.hdl.engine.finish_runs import beats, noisy, record
from tilewright.sim_tests.hdl.stream.bench import PACES

Values = NDArray[np.int64]


@dataclass(frozen=True)
class Load:
    """A matrix, its first entry, and whether it adds."""

    values: Values
    base: int
    add: bool


def entries(label: str, loads: Sequence[Load]) -> dict[int, int]:
    """What the entries are in the end, by number."""
    found: dict[int, int] = {}
    for load in loads:
        rows = range(load.base, load.base + len(load.values))
        before = np.array([found[row] if load.add else 0 for row in rows])
        found |= dict(zip(rows, row_sums(load.values, SUMS[label].width, before).tolist(), strict=True))
    return found


def passed(
    label: str,
    loads: Sequence[Load],
    reads: Sequence[int],
    pace: str = "full speed",
    seed: int = 1,
    *,
    gaps: bool = False,
) -> tuple[Result, list[int]]:
    """The run of ``loads``, and ``read_data`` in every cycle: in cycle t entry ``reads[t]`` is read."""
    block, rng = SUMS[label], np.random.default_rng(seed)
    idle, stall = PACES[pace]
    orders = [{"base": load.base, "cols": load.values.shape[1], "add": int(load.add)} for load in loads]
    given = [beat for load in loads for beat in beats(load.values, block.values, block.format.width)]
    run = bench().drive(bench().run(seed), label, {"read": [1] * len(reads), "read_address": reads})
    run.send(f"{label}_order", bench().payloads([record(SUM_ORDER, each) for each in orders], f"{label}_order"))
    words = [noisy(beat, block.values, block.format.width, rng) for beat in given]
    apart = 20 * np.arange(len(words)) if gaps else None
    run.send(f"{label}_i", bench().payloads(words, f"{label}_i"), stall=idle, not_before=apart)
    run.expect(f"{label}_o", bench().payloads(words, f"{label}_o"), stall=stall)
    result = run.expect(f"{label}_out", len(reads)).execute()
    data = bench().outputs(result, label)["read_data"]
    return result, wrap(data, IntFormat(block.width)).tolist()


def check(label: str, loads: Sequence[Load], pace: str = "full speed", seed: int = 1) -> None:
    """Every entry that was written is what the model says, long after the last beat."""
    want = entries(label, loads)
    count = sum(len(beats(load.values, SUMS[label].values, 8)) for load in loads)
    late = 100 + 8 * count
    result, data = passed(label, loads, [*[0] * late, *want, 0], pace, seed)
    assert result[f"{label}_i"].cycle[-1] + SUMS[label].settle < late
    assert dict(zip(want, data[late + RowSums.read_latency :], strict=True)) == want


def values(label: str, rng: np.random.Generator, rows: int, columns: int) -> Values:
    fmt = SUMS[label].format
    return rng.integers(fmt.min, fmt.max, (rows, columns), endpoint=True)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", SUMS)
def test_matrices_in_parts_along_k(label: str, pace: str) -> None:
    rng, block = np.random.default_rng(1), SUMS[label]
    loads = []
    for columns in (1, block.values - 1, block.values, block.values + 1, 3 * block.values + 1):
        columns = max(columns, 1)
        parts = [Load(values(label, rng, block.rows - 1, columns + part), 1, part > 0) for part in range(3)]
        loads += [*parts, Load(values(label, rng, 1, columns), 0, False)]
    check(label, loads, pace)


@pytest.mark.parametrize("label", SUMS)
def test_one_row_again_and_again_without_a_pause(label: str) -> None:
    rng, block = np.random.default_rng(2), SUMS[label]
    loads = [Load(values(label, rng, 1, 1), 2, False)]
    loads += [Load(values(label, rng, 1, block.values), 2, True) for _ in range(40)]
    check(label, loads)
    # Two entries by turns: what is written two cycles before is read from the memory.
    first = [Load(values(label, rng, 1, 1), row, False) for row in (0, 1)]
    check(label, first + [Load(values(label, rng, 1, 1), index % 2, True) for index in range(40)])
    replaced = [Load(values(label, rng, 1, 1), 3, index % 3 > 0) for index in range(40)]
    check(label, replaced)


@pytest.mark.parametrize("label", SUMS)
def test_extremes_wrap_at_the_width(label: str) -> None:
    fmt, block = SUMS[label].format, SUMS[label]
    for extreme in (fmt.min, fmt.max):
        full = np.full((2, 500 * block.values), extreme)
        check(label, [Load(full, 0, False), Load(full, 0, True)])
    want = entries(label, [Load(np.full((1, 500 * block.values), fmt.max), 0, False)])[0]
    assert (want != 500 * block.values * fmt.max) == (block.width < 20)


@pytest.mark.parametrize("label", SUMS)
def test_a_sum_can_be_read_when_the_datasheet_says(label: str) -> None:
    block = SUMS[label]
    before, after = np.ones((1, 1), np.int64), np.full((1, 1), block.format.max)
    loads = [Load(before, 1, False), Load(after, 1, False)]
    result, data = passed(label, loads, [1] * 60, gaps=True)
    taken = result[f"{label}_i"].cycle
    assert result[f"{label}_o"].offer[0] - taken[0] == RowSums.latency
    ready = int(taken[1]) + block.settle + RowSums.read_latency
    assert data[ready - 2] == 1  # the entry before; the cycle between is that of the write, when none may read it
    assert set(data[ready:]) == {block.format.max}
    matrix = Load(values(label, np.random.default_rng(1), 4, block.values), 0, False)
    many, _ = passed(label, [matrix] * 5, [0])
    assert set(np.diff(many[f"{label}_o"].cycle)) == {1}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 4, 4), "values must be at least 1, got 0"),
        ((4, 0, 4), "rows must be at least 1, got 0"),
        ((4, 4, -1), "width must be at least 1, got -1"),
    ],
)
def test_what_is_refused(arguments: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        RowSums(arguments[0], IntFormat(8), *arguments[1:])
    assert str(caught.value) == sentence
