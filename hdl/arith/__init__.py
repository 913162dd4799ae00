"""Arithmetic that processing elements are made of."""

from tilewright.hdl.arith.accumulate import Overflow, accumulate
from tilewright.hdl.arith.dot import dot
from tilewright.hdl.arith.float_accumulate import float_accumulate
from tilewright.hdl.arith.float_dot import float_dot
from tilewright.hdl.arith.requantise import Requantise
from tilewright.hdl.arith.unpacked import Unpacked, unpack

__all__ = [
    "Overflow",
    "Requantise",
    "Unpacked",
    "accumulate",
    "dot",
    "float_accumulate",
    "float_dot",
    "unpack",
]
