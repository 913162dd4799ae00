"""Matrices, commands and answers of a GEMM core as beats, and back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.harness.beats import Beats, pack, unpack

Matrix = NDArray[np.int64]


class MatrixBeats(NamedTuple):
    """Beats of a matrix: values and keep, ``(beats, lanes)``, and last, ``(beats,)``."""

    values: Matrix
    keep: NDArray[np.bool_]
    last: NDArray[np.bool_]

    def between(self, start: int, end: int | None) -> MatrixBeats:
        """The beats ``start <= b < end``."""
        return MatrixBeats(self.values[start:end], self.keep[start:end], self.last[start:end])


def record(layout: Any, **fields: int) -> int:
    """``fields`` packed as ``layout`` says; fields not given are 0."""
    word = 0
    for name, value in fields.items():
        place = layout[name]
        if not 0 <= value < 1 << place.width:
            raise ValueError(f"{name} must be 0..{(1 << place.width) - 1}, got {value}")
        word |= value << place.offset
    return word


def fields(layout: Any, word: int) -> dict[str, int]:
    """The fields of a packed ``word``."""
    return {name: word >> layout[name].offset & ((1 << layout[name].width) - 1) for name in layout.members}


def words(value: int, bits: int) -> Beats:
    """One beat of ``bits`` bits."""
    raw = value.to_bytes(-(-bits // 32) * 4, "little")
    return np.frombuffer(raw, dtype="<u4").astype(np.uint32).reshape(1, -1)


def matrix_beats(matrix: Matrix, lanes: int, noise: tuple[IntFormat, np.random.Generator] | None = None) -> MatrixBeats:
    """``matrix`` row-major; every row starts on a new beat.

    ``noise`` (format, generator) fills what is not kept, which a core must not look at; without it there are zeros.
    """
    rows, cols = matrix.shape
    panels = -(-cols // lanes)
    if noise is None:
        padded = np.zeros((rows, panels * lanes), dtype=np.int64)
    else:
        padded = noise[1].integers(noise[0].min, noise[0].max, (rows, panels * lanes), endpoint=True)
    padded[:, :cols] = matrix
    keep = np.broadcast_to(np.arange(panels * lanes) < cols, padded.shape)
    last = np.zeros(rows * panels, dtype=np.bool_)
    last[-1:] = True
    return MatrixBeats(padded.reshape(-1, lanes), keep.reshape(-1, lanes), last)


def packed(beats: MatrixBeats, width: int) -> Beats:
    """``beats`` of values of ``width`` bits: data, keep, last, the first least significant."""
    lanes = beats.values.shape[1]
    bits = lanes * (width + 1) + 1
    out = pack(beats.values, width, bits)
    pack(beats.keep.astype(np.uint8), 1, bits, offset=lanes * width, out=out)
    return pack(beats.last.astype(np.uint8)[:, None], 1, bits, offset=bits - 1, out=out)


def unpacked(beats: Beats, lanes: int, fmt: IntFormat) -> MatrixBeats:
    """The inverse of `packed`."""
    values = unpack(beats, fmt.width, lanes, signed=fmt.signed).view(np.int64)
    keep = unpack(beats, 1, lanes, signed=False, offset=lanes * fmt.width)
    last = unpack(beats, 1, 1, signed=False, offset=lanes * (fmt.width + 1))
    return MatrixBeats(values, keep.astype(np.bool_), last[:, 0].astype(np.bool_))
