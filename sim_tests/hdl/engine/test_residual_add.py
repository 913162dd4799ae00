"""Sums of two tensors: against the model and against real numbers, records back to back, streams that wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.reference.finish import residual_sum
from tilewright.hdl.engine.records import FINISH_ORDER
from tilewright.hdl.engine.residual_add import factor_bits
from tilewright.hdl.numeric import IntFormat, fixed_point
from tilewright.sim_tests.harness import Result, Run
from tilewright.sim_tests.hdl.engine.finish_blocks import RESIDUALS, bench
from tilewright.sim_tests.hdl.engine.finish_runs import beats, noisy, record
from tilewright.sim_tests.hdl.stream.bench import PACES

Values = NDArray[np.int64]


@dataclass(frozen=True)
class Sum:
    """Two matrices, how they are added (None: the first passes), and what comes out."""

    x: Values
    y: Values
    order: dict[str, Any]
    results: Values


def added(label: str, x: Values, y: Values, **fields: int) -> Sum:
    """A sum; fields that are not given are 0, limits those of the format."""
    out, rounding = RESIDUALS[label].out, RESIDUALS[label].unit.finish.rounding
    order = {"sum_low": out.min, "sum_high": out.max, "cols": x.shape[1], "add": 1} | fields

    def get(name: str) -> int:
        return int(order.get(name, 0))

    results = residual_sum(
        x,
        y,
        out,
        (get("zero_point"), get("left_multiplier")),
        (get("right_zero"), get("right_multiplier")),
        (get("sum_multiplier"), get("sum_shift")),
        get("sum_zero"),
        (get("sum_low"), get("sum_high")),
        rounding,
    )
    return Sum(x, y, order, results)


def passing(x: Values) -> Sum:
    """A matrix that passes as it is."""
    return Sum(x, x[:0], {"add": 0, "cols": x.shape[1], "sum_multiplier": 5}, x)


def prepared(label: str, sums: Sequence[Sum], pace: str = "full speed", seed: int = 1, **conditions: Any) -> Run:
    """The run of ``sums``; ``conditions`` are those of the second addends."""
    block, rng = RESIDUALS[label], np.random.default_rng(seed)
    lanes, width, (idle, stall) = block.lanes, block.out.width, PACES[pace]
    run = bench().run(seed)
    orders = [record(FINISH_ORDER, each.order) for each in sums]
    run.send(f"{label}_order", bench().payloads(orders, f"{label}_order"), stall=idle / 2)
    for port, matrices in (("i", [each.x for each in sums]), ("residual", [each.y for each in sums if len(each.y)])):
        given = [noisy(beat, lanes, width, rng) for matrix in matrices for beat in beats(matrix, lanes, width)]
        also = conditions if port == "residual" else {}
        run.send(f"{label}_{port}", bench().payloads(given, f"{label}_{port}"), stall=idle, **also)
    wanted = [beat for each in sums for beat in beats(each.results, lanes, width)]
    return run.expect(
        f"{label}_o",
        bench().payloads([beat.packed(lanes, width) for beat in wanted], f"{label}_o"),
        mask=bench().payloads([beat.mask(lanes, width) for beat in wanted], f"{label}_o"),
        stall=stall,
    )


def run(label: str, sums: Sequence[Sum], pace: str = "full speed", seed: int = 1) -> Result:
    return prepared(label, sums, pace, seed).execute()


def random_sum(label: str, rng: np.random.Generator, rows: int, columns: int) -> Sum:
    out = RESIDUALS[label].out
    x, y = rng.integers(out.min, out.max, (2, rows, columns), endpoint=True)
    factor = 1 << factor_bits(out)
    fields = {field: int(rng.integers(out.min, out.max + 1)) for field in ("zero_point", "right_zero", "sum_zero")}
    fields |= {field: int(rng.integers(0, factor)) for field in ("left_multiplier", "right_multiplier")}
    fields |= {"sum_multiplier": int(rng.integers(0, 1 << 31)), "sum_shift": int(rng.integers(45, 63))}
    if rng.random() < 0.5:
        fields |= {"sum_low": fields["sum_zero"]}
    return added(label, x, y, **fields)


@pytest.mark.parametrize("label", ["add_int8", "add_uint8", "add_int4"])
def test_all_pairs_of_values(label: str) -> None:
    out = RESIDUALS[label].out
    values = np.arange(out.min, out.max + 1)
    x, y = (grid.reshape(-1, 16) for grid in np.meshgrid(values, values))
    half = {"left_multiplier": 1, "right_multiplier": 1, "sum_multiplier": 1, "sum_shift": 1}
    # Half of a sum: every other pair is a tie.
    run(label, [added(label, x, y, **half), added(label, x, y, **half, zero_point=out.max, right_zero=out.min)])


@pytest.mark.parametrize("label", RESIDUALS)
def test_extremes(label: str) -> None:
    out = RESIDUALS[label].out
    ends = np.array([out.min, out.min + 1, 0, out.max - 1, out.max])
    x, y = (grid.reshape(5, 5) for grid in np.meshgrid(ends, ends))
    most = (1 << factor_bits(out)) - 1
    sums = [
        added(
            label, x, y, zero_point=a, right_zero=b, left_multiplier=most, right_multiplier=m, sum_shift=s, sum_zero=a,
            sum_multiplier=(1 << 31) - 1,
        )
        for a in (out.min, out.max)
        for b in (out.min, out.max)
        for m in (0, 1, most)
        for s in (0, 53, 62)
    ]  # fmt: skip
    run(label, sums)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", RESIDUALS)
def test_sums_and_matrices_that_pass_back_to_back(label: str, pace: str) -> None:
    rng, lanes = np.random.default_rng(6), RESIDUALS[label].lanes
    shapes = [(1, 1), (1, lanes), (3, lanes + 1), (2, 2 * lanes), (1, 1), (7, 3 * lanes - 1 or 1)] * 5
    sums = [random_sum(label, rng, *shape) for shape in shapes]
    run(label, [passing(each.x) if index % 4 == 2 else each for index, each in enumerate(sums)], pace)


def test_scales_of_the_datasheet_are_within_half_and_a_little_of_real_sums() -> None:
    out, rng = RESIDUALS["add_int8"].out, np.random.default_rng(12)
    x, y = rng.integers(out.min, out.max, (2, 200, 8), endpoint=True)
    scales, zeros = (0.0312, 0.117, 0.1349), (3, -77, 11)
    most, greater = (1 << factor_bits(out)) - 1, max(scales[:2])
    factors = [round(scale / greater * most) for scale in scales[:2]]
    multiplier, shift = fixed_point(greater / scales[2] / most)
    one = added(
        "add_int8", x, y, zero_point=zeros[0], right_zero=zeros[1], sum_zero=zeros[2], left_multiplier=factors[0],
        right_multiplier=factors[1], sum_multiplier=multiplier, sum_shift=shift,
    )  # fmt: skip
    real = [Fraction(scale) for scale in scales]
    for a, b, result in zip(x.flat, y.flat, one.results.flat, strict=True):
        exact = ((int(a) - zeros[0]) * real[0] + (int(b) - zeros[1]) * real[1]) / real[2] + zeros[2]
        assert abs(min(max(exact, Fraction(out.min)), Fraction(out.max)) - int(result)) <= Fraction(1, 2) + Fraction(
            1, 10_000
        )
    run("add_int8", [one])


@pytest.mark.parametrize("label", RESIDUALS)
def test_latency_and_throughput_are_those_of_the_datasheet(label: str) -> None:
    rng, block = np.random.default_rng(2), RESIDUALS[label]
    result = run(label, [random_sum(label, rng, rows, block.lanes) for rows in (1, 1, 1, 70)])
    begun = max(int(result[f"{label}_{port}"].cycle[0]) for port in ("i", "residual"))
    assert result[f"{label}_o"].offer[0] - begun == block.latency
    assert set(np.diff(result[f"{label}_o"].cycle)) == {1}


def test_a_sum_waits_for_its_second_addend_alone() -> None:
    rng, lanes = np.random.default_rng(2), RESIDUALS["add_int8"].lanes
    first, second = (random_sum("add_int8", rng, 2, lanes) for _ in range(2))
    late = prepared("add_int8", [passing(first.x), second], not_before=60).execute()
    given = late["add_int8_o"].cycle
    assert given[1] < 20 and given[2] == 60 + RESIDUALS["add_int8"].latency


def test_factors_leave_33_bits() -> None:
    for label, block in RESIDUALS.items():
        out: IntFormat = block.out
        widest = 2 * (out.max - out.min) * ((1 << factor_bits(out)) - 1)
        assert widest < 1 << 32 <= 2 * (widest + 2 * (out.max - out.min)), label
