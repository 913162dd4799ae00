"""Products of floats on the cores of the gate, bit for bit against exact arithmetic that shares nothing with them."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.reference.core import DATAFLOWS
from tilewright.sim_tests.system.designs import Design, gate_designs
from tilewright.sim_tests.system.float_cases import (
    STARTS,
    WINDOW,
    Case,
    random_case,
    random_cuts,
    turned,
    window_case,
)
from tilewright.sim_tests.system.float_oracle import NAN, OVERFLOW, UNDERFLOW, window_product
from tilewright.sim_tests.system.float_runs import Tiling, fits, run_cases

SHAPES = 12
SPECIALS = 5  # of them
WIDEST, DEEPEST = 12, 60
FLOATS = ("any_3x4_bf16", "os_4x3_fp16", "ws_5x2_fp8")
WINDOWED = "any_2x3_fx48"
EXACT, ROUNDED = 24, 9  # binary points for numbers 2**-3..2**3 in size, of 8 digits


def cases_for(design: Design, rng: np.random.Generator) -> list[Case]:
    """Products that the scratchpads hold, the first ones special."""
    config = design.config
    found: list[Case] = []
    while len(found) < SHAPES:
        special, kind = len(found) < SPECIALS, STARTS[len(found) % len(STARTS)]
        case = random_case(rng, (str(config.a), str(config.b)), config.rows, WIDEST, DEEPEST, special, kind)
        if fits(design, case) and case.is_special() >= special:
            found.append(case)
    return found


@pytest.mark.parametrize("name", FLOATS)
def test_products_are_exact_but_for_one_rounding_a_step(name: str) -> None:
    design = gate_designs()[name]
    cases = cases_for(design, np.random.default_rng([1, *name.encode()]))
    wanted = [case.expected(design.config.vector) for case in cases]
    assert any(case.cuts for case in cases)
    assert sum(bool((matrix == NAN).any()) for matrix in wanted) >= 2
    for dataflow in DATAFLOWS[design.config.dataflow]:
        for got, want in zip(run_cases(design, design.build(), cases, dataflow), wanted, strict=True):
            assert got.tolist() == want.tolist()


def test_the_comparison_finds_sums_in_another_order() -> None:
    """K backwards, and a start that is added last, give other bits: the cases are hard enough to tell."""
    design = gate_designs()["any_3x4_bf16"]
    cases = cases_for(design, np.random.default_rng(2))
    backwards = [Case(case.formats, case.a[:, ::-1], case.b[::-1], case.kind, case.start, case.cuts) for case in cases]
    pairs = zip(cases, backwards, strict=True)
    assert sum(one.expected(1).tolist() != other.expected(1).tolist() for one, other in pairs) > SHAPES // 2
    in_pairs = [case.expected(2).tolist() != case.expected(1).tolist() for case in cases]
    assert sum(in_pairs) >= SHAPES // 3


@pytest.mark.parametrize("point", [EXACT, ROUNDED])
def test_sums_in_windows_depend_on_no_order_and_no_tiling(point: int) -> None:
    design, rng = gate_designs()[WINDOWED], np.random.default_rng(point)
    build = design.build()
    cases = [window_case(rng, point, 3, 8, 30) for _ in range(SHAPES)]
    wanted = [window_product(case.formats, case.a, case.b, case.start, WINDOW, point) for case in cases]
    flags = np.concatenate([matrix.ravel() >> WINDOW for matrix in wanted])
    assert not (flags >> OVERFLOW & 1).any()
    assert (flags >> UNDERFLOW & 1).any() == (point == ROUNDED)
    for dataflow in DATAFLOWS[design.config.dataflow]:
        others = [turned(rng, case) for case in cases]
        tilings = [Tiling(*(random_cuts(rng, extent, 2) for extent in case.shape[:2])) for case in cases]
        found = run_cases(design, build, others, dataflow, tilings=tilings, point=point)
        assert [matrix.tolist() for matrix in found] == [matrix.tolist() for matrix in wanted]


@pytest.mark.parametrize("point", [0, 40, 150, 268, -120, 512, -512])
def test_windows_keep_their_flags(point: int) -> None:
    """Any numbers, NaN and infinities: everything leaves the window above or below, and is told by the same flags."""
    design, rng = gate_designs()[WINDOWED], np.random.default_rng([point + 512])
    config = design.config
    cases: list[Case] = []
    while len(cases) < 4:
        case = random_case(rng, ("bf16", "bf16"), config.rows, 8, 30, True)
        start = rng.integers(0, 1 << (WINDOW + 3), case.start.shape) * (case.kind != "zero")
        cases.append(Case(case.formats, case.a, case.b, case.kind, start))
    wanted = [window_product(c.formats, c.a, c.b, c.start, WINDOW, point, config.vector) for c in cases]
    for dataflow in DATAFLOWS[config.dataflow]:
        found = run_cases(design, design.build(), cases, dataflow, point=point)
        assert [matrix.tolist() for matrix in found] == [matrix.tolist() for matrix in wanted]
