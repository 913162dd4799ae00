"""Matrices as the bytes of beats, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import IntFormat

Codes = NDArray[np.int64]


def beat_bytes(lanes: int, width: int) -> int:
    """Bytes of a beat of ``lanes`` values of ``width`` bits, one keep bit for each, and last."""
    return -(-(lanes * (width + 1) + 1) // 8)


def padded(codes: Codes, lanes: int, noise: np.random.Generator | None = None) -> Codes:
    """The values of the beats of a matrix, row-major, each row on new beats; beyond a row 0, or ``noise``."""
    rows, cols = codes.shape
    shape = rows, -(-cols // lanes) * lanes
    found: Codes = np.zeros(shape, dtype=np.int64) if noise is None else noise.integers(-(1 << 62), 1 << 62, shape)
    found[:, :cols] = codes
    return found.reshape(-1, lanes)


def to_beats(codes: Codes, lanes: int, width: int, noise: np.random.Generator | None = None) -> bytes:
    """A matrix of codes, row-major, each row on new beats; see `tilewright.hdl.stream.beat.beat_layout`.

    What no value is in is 0, or ``noise``.
    """
    rows, cols = codes.shape
    values = padded(codes, lanes, noise)[:, :, None] >> np.arange(width) & 1
    panels = -(-cols // lanes)
    keep = np.broadcast_to(np.arange(panels * lanes) < cols, (rows, panels * lanes)).reshape(-1, lanes)
    last = np.zeros((len(values), 1), dtype=np.int64)
    last[-1:] = 1
    bits = np.hstack((values.reshape(len(values), lanes * width), keep, last)).astype(np.uint8)
    return np.packbits(bits, axis=1, bitorder="little").tobytes()


def beat_fields(data: bytes, lanes: int, width: int) -> tuple[Codes, NDArray[np.bool_], NDArray[np.bool_]]:
    """Bits of the values, keep, and last of beats."""
    bits = np.frombuffer(data, dtype=np.uint8).reshape(-1, beat_bytes(lanes, width))
    bits = np.unpackbits(bits, axis=1, bitorder="little")
    values, keep, last = np.split(bits[:, : lanes * (width + 1) + 1], (lanes * width, lanes * (width + 1)), axis=1)
    values = values.reshape(-1, lanes, width).astype(np.int64)
    return (values << np.arange(width)).sum(axis=2), keep.astype(bool), last.ravel().astype(bool)


def from_beats(data: bytes, shape: tuple[int, int], lanes: int, fmt: IntFormat) -> Codes:
    """The other way round: codes of ``fmt``."""
    rows, cols = shape
    raw = np.frombuffer(data, dtype=np.uint8).reshape(-1, beat_bytes(lanes, fmt.width))
    bits = np.unpackbits(raw, axis=1, bitorder="little")[:, : lanes * fmt.width].astype(np.int64)
    values: Codes = (bits.reshape(rows, -1, fmt.width) << np.arange(fmt.width)).sum(axis=2)
    if fmt.signed:
        values -= (values >> (fmt.width - 1)) << fmt.width
    return values[:, :cols]
