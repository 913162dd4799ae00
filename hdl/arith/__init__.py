"""Arithmetic that processing elements are made of."""

from tilewright.hdl.arith.accumulate import Overflow, accumulate
from tilewright.hdl.arith.dot import dot

__all__ = ["Overflow", "accumulate", "dot"]
