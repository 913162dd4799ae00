"""Arithmetic that processing elements are made of."""

from tilewright.hdl.arith.accumulate import Overflow, accumulate
from tilewright.hdl.arith.dot import dot
from tilewright.hdl.arith.float_accumulate import float_accumulate
from tilewright.hdl.arith.float_dot import float_dot
from tilewright.hdl.arith.requantise import Requantise
from tilewright.hdl.arith.unpacked import Unpacked, unpack
from tilewright.hdl.arith.window_accumulate import window_accumulate, window_layout
from tilewright.hdl.arith.window_dot import window_dot
from tilewright.hdl.arith.window_round import FromWindow
from tilewright.hdl.arith.window_status import WindowStatus

__all__ = [
    "FromWindow",
    "Overflow",
    "Requantise",
    "Unpacked",
    "WindowStatus",
    "accumulate",
    "dot",
    "float_accumulate",
    "float_dot",
    "unpack",
    "window_accumulate",
    "window_dot",
    "window_layout",
]
