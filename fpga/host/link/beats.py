"""Matrices as the bytes of beats, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import IntFormat

Codes = NDArray[np.int64]


def beat_bytes(lanes: int, width: int) -> int:
    """Bytes of a beat of ``lanes`` values of ``width`` bits, one keep bit for each, and last."""
    return -(-(lanes * (width + 1) + 1) // 8)


def to_beats(codes: Codes, lanes: int, width: int) -> bytes:
    """A matrix of codes, row-major, each row on new beats; see `tilewright.hdl.stream.beat.beat_layout`."""
    rows, cols = codes.shape
    panels = -(-cols // lanes)
    padded = np.zeros((rows, panels * lanes), dtype=np.int64)
    padded[:, :cols] = codes
    values = padded.reshape(-1, lanes, 1) >> np.arange(width) & 1
    keep = np.broadcast_to(np.arange(panels * lanes) < cols, padded.shape).reshape(-1, lanes)
    last = np.zeros((len(values), 1), dtype=np.int64)
    last[-1:] = 1
    bits = np.hstack((values.reshape(len(values), -1), keep, last)).astype(np.uint8)
    return np.packbits(bits, axis=1, bitorder="little").tobytes()


def from_beats(data: bytes, shape: tuple[int, int], lanes: int, fmt: IntFormat) -> Codes:
    """The other way round: codes of ``fmt``."""
    rows, cols = shape
    raw = np.frombuffer(data, dtype=np.uint8).reshape(-1, beat_bytes(lanes, fmt.width))
    bits = np.unpackbits(raw, axis=1, bitorder="little")[:, : lanes * fmt.width].astype(np.int64)
    values: Codes = (bits.reshape(rows, -1, fmt.width) << np.arange(fmt.width)).sum(axis=2)
    if fmt.signed:
        values -= (values >> (fmt.width - 1)) << fmt.width
    return values[:, :cols]
