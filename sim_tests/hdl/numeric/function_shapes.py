"""Functions with other results, errors and tables than the usual ones; searches found the shapes, but for one."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.hdl.numeric import BF16, FP8_E5M2, FP16, FloatFormat
from tilewright.hdl.numeric.functions import Shape

OTHERS: Mapping[str, tuple[str, FloatFormat, float, Shape]] = {
    "exp_finer": ("exp", BF16, 0.505, Shape(6, 19, 6, 13)),
    "exp_fp16": ("exp", FP16, 0.55, Shape(6, 22, 8, 15)),
    "exp_fp8_e5m2": ("exp", FP8_E5M2, 0.52, Shape(2, 8, 1, 7)),
    "gelu_fp8_e5m2": ("gelu", FP8_E5M2, 0.52, Shape(7, 12, 5)),
    "log2_fp16": ("log2", FP16, 0.55, Shape(6, 20, 3)),
    "log2_fp8_e5m2": ("log2", FP8_E5M2, 0.52, Shape(3, 11, 0)),
    "reciprocal_direct": ("reciprocal", BF16, 0.52, Shape(7, 10, 0)),  # a segment for each operand: not the smallest
    "reciprocal_fp16": ("reciprocal", FP16, 0.55, Shape(5, 14, 1)),
    "rsqrt_fp8_e5m2": ("rsqrt", FP8_E5M2, 0.52, Shape(2, 10, 3)),
    "sigmoid_fp8_e5m2": ("sigmoid", FP8_E5M2, 0.52, Shape(1, 10, 4, 6)),
    "silu_fp8_e5m2": ("silu", FP8_E5M2, 0.52, Shape(1, 12, 5, 7)),
    "tanh_fp16": ("tanh", FP16, 0.55, Shape(7, 17, 5)),
    "tanh_fp8_e5m2": ("tanh", FP8_E5M2, 0.52, Shape(7, 12, 7)),
}
