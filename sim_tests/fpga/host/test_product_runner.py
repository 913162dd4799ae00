from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.finishing import ending
from tilewright.generators.program.tiling import Tiling
from tilewright.sim_tests.fpga.host.engines import refuses

RNG = np.random.default_rng(21)
A, B = RNG.integers(-128, 128, (21, 30)), RNG.integers(-128, 128, (30, 17))
TILING = Tiling("ws", "mn", tile_m=8, tile_n=8, tile_k=8)


@pytest.mark.parametrize(
    "tiling",
    [
        TILING,
        replace(TILING, order="nm"),
        replace(TILING, tile_m=5, tile_n=3, tile_k=7),
        replace(TILING, tile_m=21, tile_n=4, tile_k=4),
        replace(TILING, tile_m=2, tile_n=17, tile_k=1),
    ],
)
def test_any_tiling_gives_the_same(integers: Accelerator, tiling: Tiling) -> None:
    bias = np.arange(17)
    assert np.array_equal(integers.matmul(A, B, bias=bias, tiling=tiling), A @ B + bias)
    assert integers.last is not None
    assert [plan.tiling for plan in integers.last.plans] == [tiling]
    finished = integers.matmul(A, B, scale=0.01, tiling=tiling)
    assert np.array_equal(finished, integers.matmul(A, B, scale=0.01))


def test_a_tiling_that_cannot_be(integers: Accelerator) -> None:
    before = integers.last
    for tiling, words in (
        (replace(TILING, tile_m=0), "tile_m must be at least 1, got 0"),
        (replace(TILING, tile_m=1000, tile_n=1000), "a_stages must be at least"),
        (replace(TILING, dataflow="os"), "dataflow must be ws, got os"),
    ):
        refuses(lambda tiling=tiling: integers.matmul(A, B, tiling=tiling), f"tiling must fit: {words}")  # type: ignore[misc]
    others: list[Any] = ["x", np.array([1, 2]), None, 3]
    for other in others:
        sentence = "tiling must be a Tiling, 'cycles' or 'bytes', got "
        refuses(lambda other=other: integers.matmul(A, B, tiling=other), sentence)  # type: ignore[misc]
        refuses(lambda other=other: integers.matmul(A[:0], B, tiling=other), sentence)  # type: ignore[misc]
    fields: list[dict[str, Any]] = [
        {"dataflow": "xx"}, {"order": "xy"}, {"tile_m": 2.5}, {"tile_m": "2"}, {"tile_m": None}, {"a_resident": "x"},
    ]  # fmt: skip
    for field in fields:
        wrong = replace(TILING, **field)
        ((name, _),) = field.items()
        refuses(lambda wrong=wrong: integers.matmul(A, B, tiling=wrong), f"tiling.{name} ")  # type: ignore[misc]
    assert np.array_equal(integers.matmul(A, B, tiling=replace(TILING, tile_m=np.int8(8))), A @ B)  # type: ignore[arg-type]
    assert integers.last is not before


def test_a_product_that_was_planned_is_not_planned_again(
    integers: Accelerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = RNG.integers(-9, 9, (6, 11)), RNG.integers(-9, 9, (11, 9))
    assert np.array_equal(integers.matmul(a, b), a @ b)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("planned again")

    monkeypatch.setattr("tilewright.fpga.host.product_runner.make_plan", never)
    assert np.array_equal(integers.matmul(a + 1, b - 1), (a + 1) @ (b - 1))
    with pytest.raises(AssertionError, match="planned again"):
        integers.matmul(a, b[:, 1:])


def test_results_that_become_operands_in_one_program(integers: Accelerator) -> None:
    a, b = RNG.integers(-9, 9, (6, 11)), RNG.integers(-9, 9, (11, 9))
    c = RNG.integers(-9, 9, (9, 5))
    integers.begin()
    fmt = integers.config.a
    left, right, last = (integers.temporary(name, codes, fmt) for name, codes in (("a", a), ("b", b), ("c", c)))
    first = integers.job(left.view, right.view, ending(integers.config, 9, 0.25, 0, None, False, None))
    raw = ending(integers.config, 5, None, 0, None, False, None)
    second = integers.job(first.result.view, last.view, raw, after_stores=True)
    integers.run_jobs([first, second])
    middle = np.clip(np.rint(a @ b / 4), -128, 127).astype(int)
    assert np.array_equal(integers.fetch(first.result), middle)
    assert np.array_equal(integers.fetch(second.result), middle @ c)
