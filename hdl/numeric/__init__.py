"""Number formats, rounding and saturation as values and as bit-exact numpy functions."""

from tilewright.hdl.numeric.casts import convert, from_integer, to_integer
from tilewright.hdl.numeric.chains import float_chain, window_chain
from tilewright.hdl.numeric.codes import decode, encode
from tilewright.hdl.numeric.floating import (
    BF16,
    FLOAT_FORMATS,
    FP8_E4M3,
    FP8_E5M2,
    FP16,
    FP32,
    FloatFormat,
    common_format,
)
from tilewright.hdl.numeric.fused import add, fused_multiply_add, multiply
from tilewright.hdl.numeric.integer import IntFormat, dot_bits, safe_k, saturate, wrap
from tilewright.hdl.numeric.requantise import fixed_point, requantise
from tilewright.hdl.numeric.storage import Format, code_format, container_bytes, parse_format
from tilewright.hdl.numeric.window import FxFormat, exact_point, exact_width, highest_point, product_width
from tilewright.hdl.numeric.window_code import pack_window, unpack_window
from tilewright.hdl.numeric.window_sum import (
    WindowSum,
    accumulate,
    accumulate_step,
    empty_sum,
    from_window,
    place,
    place_products,
)

__all__ = [
    "BF16",
    "FLOAT_FORMATS",
    "FP8_E4M3",
    "FP8_E5M2",
    "FP16",
    "FP32",
    "FloatFormat",
    "Format",
    "FxFormat",
    "IntFormat",
    "WindowSum",
    "accumulate",
    "accumulate_step",
    "add",
    "code_format",
    "common_format",
    "container_bytes",
    "convert",
    "decode",
    "dot_bits",
    "empty_sum",
    "encode",
    "exact_point",
    "exact_width",
    "fixed_point",
    "float_chain",
    "from_integer",
    "from_window",
    "fused_multiply_add",
    "highest_point",
    "multiply",
    "pack_window",
    "parse_format",
    "place",
    "place_products",
    "product_width",
    "requantise",
    "safe_k",
    "saturate",
    "to_integer",
    "unpack_window",
    "window_chain",
    "wrap",
]
