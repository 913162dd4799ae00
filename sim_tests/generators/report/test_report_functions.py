"""The errors that the report of functions finds are those that were planted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.report import functions
from tilewright.hdl.numeric import BF16, encode
from tilewright.hdl.numeric.functions import Elementary, divide


def test_operands_tried_are_all_without_a_fixed_result() -> None:
    tried = {each.name: each.operands for each in functions.function_reports()}
    finite = 2 * 0x7F80
    assert tried["exp"] == tried["gelu"] == finite - 2
    assert tried["sqrt"] == finite // 2 - 1 and tried["relu"] == finite
    assert tried["divide"] == 3 * 128 * 128


def test_one_wrong_result_is_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Elementary.evaluate

    def wrong(unit: Elementary, bits: NDArray[np.int64]) -> NDArray[np.int64]:
        results: NDArray[np.int64] = right(unit, bits).astype(np.int64)
        results[bits == 0x4000] += 1
        return results

    before = {each.name: each for each in functions.function_reports()}
    monkeypatch.setattr(Elementary, "evaluate", wrong)
    after = {each.name: each for each in functions.function_reports()}
    for name in ("reciprocal", "tanh"):
        assert after[name].worst == (2.0,) and 0.52 < after[name].error <= 1.52
        assert after[name].not_nearest == before[name].not_nearest + 1
    assert after["reciprocal"].error == 1, "1/2 is exact, and it is one place above"


def test_an_overflow_is_no_error_and_a_missing_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "divide", lambda a, b: np.minimum(divide(a, b), encode(1.5, BF16)))
    (found,) = (each for each in functions.function_reports() if each.name == "divide")
    assert found.error == pytest.approx((255 / 128 - 1.5) * 128) and found.worst == (255 / 128, 1.0)
