"""How products and sums are formed on the devices that a design can be made for."""

from tilewright.hdl.arith.targets.factors import Factors
from tilewright.hdl.arith.targets.products import PAIRS, TARGETS, Target, products
from tilewright.hdl.arith.targets.sums import add_selected

__all__ = ["PAIRS", "TARGETS", "Factors", "Target", "add_selected", "products"]
