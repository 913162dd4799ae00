"""Arithmetic that processing elements are made of."""

from tilewright.hdl.arith.accumulate import Overflow, accumulate
from tilewright.hdl.arith.cast import FloatCast
from tilewright.hdl.arith.cast_integer import FloatToInteger, IntegerToFloat
from tilewright.hdl.arith.dot import before_sum, dot, summed
from tilewright.hdl.arith.float_accumulate import float_accumulate
from tilewright.hdl.arith.float_add import FloatAdd
from tilewright.hdl.arith.float_dot import float_dot
from tilewright.hdl.arith.float_fused import FusedMultiplyAdd
from tilewright.hdl.arith.float_multiply import FloatMultiply
from tilewright.hdl.arith.requantise import Requantise
from tilewright.hdl.arith.unpacked import Unpacked, unpack
from tilewright.hdl.arith.window_accumulate import window_accumulate, window_layout
from tilewright.hdl.arith.window_dot import window_dot
from tilewright.hdl.arith.window_round import FromWindow
from tilewright.hdl.arith.window_tally import WindowTally

__all__ = [
    "FloatAdd",
    "FloatCast",
    "FloatMultiply",
    "FloatToInteger",
    "FromWindow",
    "FusedMultiplyAdd",
    "IntegerToFloat",
    "Overflow",
    "Requantise",
    "Unpacked",
    "WindowTally",
    "accumulate",
    "before_sum",
    "dot",
    "float_accumulate",
    "float_dot",
    "summed",
    "unpack",
    "window_accumulate",
    "window_dot",
    "window_layout",
]
