"""Number formats, rounding and saturation as values and as bit-exact numpy functions."""

from tilewright.hdl.numeric.integer import IntFormat, dot_bits, safe_k, saturate, wrap

__all__ = ["IntFormat", "dot_bits", "safe_k", "saturate", "wrap"]
