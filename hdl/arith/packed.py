"""Elements side by side in an operand word, and what is asked of a step of several."""

from __future__ import annotations

from amaranth.hdl import Value


def element(packed: Value, width: int, index: int) -> Value:
    """Element ``index`` of ``packed``: its bits ``[index*width, (index+1)*width)``."""
    return packed[index * width : (index + 1) * width]


def check_step(vector: int, pipeline: int) -> None:
    """Raises ValueError where ``vector`` is no power of two or ``pipeline`` is negative."""
    if vector < 1 or vector & (vector - 1):
        nearest = 1 << max(vector.bit_length() - 1, 0) if vector > 0 else 1
        raise ValueError(f"vector must be a power of two, got {vector}; nearest legal value is {nearest}")
    if pipeline < 0:
        raise ValueError(f"pipeline must be at least 0 registers, got {pipeline}; nearest legal value is 0")
