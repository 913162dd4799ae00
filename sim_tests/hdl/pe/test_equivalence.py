"""Proofs: for all operands and every accumulator an element does what its formula says."""

from pathlib import Path

import pytest

from tilewright.hdl.pe import Element, FlexibleElement, OutputElement, StationaryElement
from tilewright.sim_tests.hdl.pe.elements import operands
from tilewright.sim_tests.hdl.pe.miter import Miter, proven

CASES = {
    **{f"stationary_p{p}": StationaryElement(operands("int4", "int4", 1, p, 16)) for p in range(4)},
    "stationary_saturate": StationaryElement(operands("int4", "int4", 1, 1, 9, saturate=True)),
    "stationary_mixed": StationaryElement(operands("uint4", "int3", 1, 0, 12)),
    **{f"output_p{p}": OutputElement(operands("int4", "int4", 1, p, 16)) for p in (0, 2)},
    **{f"flexible_p{p}": FlexibleElement(operands("int4", "int4", 1, p, 16)) for p in (0, 1)},
}


@pytest.mark.parametrize("case", CASES)
def test_equal_for_all_operands_and_sums(case: str, tmp_path: Path) -> None:
    assert proven(Miter(CASES[case]), tmp_path)


@pytest.mark.parametrize("case", ["stationary_p1", "output_p0", "flexible_p0"])
def test_a_difference_in_one_pair_of_operands_is_found(case: str, tmp_path: Path) -> None:
    element: Element = CASES[case]
    assert not proven(Miter(element, wrong=True), tmp_path)
