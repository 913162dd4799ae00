from __future__ import annotations

import pytest

from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.longest import check_longest, longest_products

PRODUCTS = [(name, *product) for name, design in gate_designs().items() for product in longest_products(design)]


@pytest.mark.parametrize(("name", "dataflow", "shape"), PRODUCTS)
def test_the_longest_products_are_right(name: str, dataflow: int, shape: tuple[int, int, int]) -> None:
    design = gate_designs()[name]
    check_longest(design, design.build(), dataflow, shape)
