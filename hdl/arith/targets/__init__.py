"""How products are formed on the devices that a design can be made for."""

from tilewright.hdl.arith.targets.factors import Factors
from tilewright.hdl.arith.targets.products import PAIRS, TARGETS, Target, products

__all__ = ["PAIRS", "TARGETS", "Factors", "Target", "products"]
