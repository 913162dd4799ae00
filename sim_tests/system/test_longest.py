from __future__ import annotations

import pytest

from tilewright.generators.reference.records import Command
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.longest import check_longest, longest_products

PRODUCTS = [(name, command) for name, design in gate_designs().items() for command in longest_products(design)]


@pytest.mark.parametrize(("name", "command"), PRODUCTS)
def test_the_longest_products_are_right(name: str, command: Command) -> None:
    design = gate_designs()[name]
    check_longest(design, design.build(), command)
