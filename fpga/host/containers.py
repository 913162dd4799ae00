"""Codes as they lie in an engine's memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import Format, IntFormat, code_format, container_bytes


def to_bytes(codes: NDArray[Any], fmt: Format) -> NDArray[np.uint8]:
    """Bytes of codes of ``fmt``, in their order: little-endian containers, the bits above the code undefined (here
    the sign's)."""
    return np.ascontiguousarray(codes, dtype=f"<i{container_bytes(fmt)}").view(np.uint8).ravel()


def from_bytes(data: NDArray[np.uint8], fmt: Format) -> NDArray[np.int64]:
    """The inverse of `to_bytes`: codes as int64, of integers their values; bits above the code are not looked at."""
    size = container_bytes(fmt)
    width = code_format(fmt).width
    words = np.ascontiguousarray(data).view(f"<u{size}").astype(np.uint64)
    signed = isinstance(fmt, IntFormat) and fmt.signed
    left = np.uint64(64 - width)
    moved = (words << left).view(np.int64) if signed else words << left
    return (moved >> moved.dtype.type(64 - width)).astype(np.int64)
