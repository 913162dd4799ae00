"""Numbers to beats and back, with numpy only.

A beat is a row of ``words`` 32-bit words, bit 0 in bit 0 of the first word. Element ``j`` of a beat takes the bits
``offset + j*width .. offset + (j+1)*width - 1``; signed elements are two's complement.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.sim_tests.harness.errors import InterfaceError

Beats = NDArray[np.uint32]

#: Bits that are expanded at once, to bound the memory of long streams.
_CHUNK_BITS = 1 << 24


def empty(count: int, bits: int) -> Beats:
    """``count`` beats of ``bits`` bits, all 0."""
    return np.zeros((count, (bits + 31) // 32), dtype=np.uint32)


def pack(
    elements: ArrayLike, width: int, bits: int | None = None, *, offset: int = 0, out: Beats | None = None
) -> Beats:
    """Pack integers into beats.

    Args:
        elements: integers, shape ``(beats, elements per beat)``; a 1-D array is one element a beat.
        width: bits of an element, 1..64; each value must fit as a signed or as an unsigned number.
        bits: width of a beat; the elements' own width if not given.
        offset: bit of the beat at which element 0 begins.
        out: beats that get the elements added; the places must still be 0.

    Returns:
        Array ``(beats, words)`` of ``uint32``.
    """
    values = _matrix(elements)
    _check(values, width)
    count, lanes = values.shape
    needed = offset + lanes * width
    beats = empty(count, bits if bits is not None else needed) if out is None else out
    limit = bits if bits is not None else beats.shape[1] * 32
    if needed > limit or beats.shape[0] != count:
        raise InterfaceError(
            f"{lanes} elements of {width} bits at bit {offset} need {needed} bits, the beat has {limit}"
        )
    if values.size == 0:
        return beats
    raw = values.astype(np.uint64) if values.dtype.kind == "u" else values.astype(np.int64).view(np.uint64)
    if width in (8, 16, 32, 64) and offset % 8 == 0:  # whole bytes need no look at single bits
        own = np.ascontiguousarray(raw.astype(f"<u{width // 8}")).view(np.uint8).reshape(count, -1)
        as_bytes = beats.view(np.uint8).reshape(count, -1)
        as_bytes[:, offset // 8 : needed // 8] |= own
        return beats
    for start, stop in _chunks(count, beats.shape[1] * 32):
        eight = np.ascontiguousarray(raw[start:stop]).astype("<u8").view(np.uint8).reshape(stop - start, lanes, 8)
        flat = np.zeros((stop - start, beats.shape[1] * 32), dtype=np.uint8)
        single = np.unpackbits(eight, axis=2, bitorder="little", count=width)
        flat[:, offset:needed] = single.reshape(stop - start, lanes * width)
        beats[start:stop] |= np.packbits(flat, axis=1, bitorder="little").view("<u4")
    return beats


def unpack(beats: Beats, width: int, lanes: int, *, signed: bool, offset: int = 0) -> NDArray[Any]:
    """The inverse of :func:`pack`: array ``(beats, lanes)`` of ``int64``, or ``uint64`` if not ``signed``."""
    if not 1 <= width <= 64:
        raise InterfaceError(f"element width must be 1..64 bits, got {width}; nearest is {min(max(width, 1), 64)}")
    count, needed = beats.shape[0], offset + lanes * width
    if needed > beats.shape[1] * 32:
        raise InterfaceError(f"{lanes} elements of {width} bits at bit {offset} need {needed} bits, the beat has fewer")
    result = np.zeros((count, lanes), dtype=np.uint64)
    if lanes == 0 or count == 0:
        return result.view(np.int64) if signed else result
    source = np.ascontiguousarray(beats).view(np.uint8).reshape(count, -1)
    if width in (8, 16, 32, 64) and offset % 8 == 0:
        own = np.ascontiguousarray(source[:, offset // 8 : needed // 8])
        result[:] = own.view(f"<u{width // 8}").reshape(count, lanes)
    else:
        for start, stop in _chunks(count, beats.shape[1] * 32):
            single = np.unpackbits(source[start:stop], axis=1, bitorder="little")[:, offset:needed]
            whole = np.zeros((stop - start, lanes, 64), dtype=np.uint8)
            whole[:, :, :width] = single.reshape(stop - start, lanes, width)
            result[start:stop] = np.packbits(whole, axis=2, bitorder="little").view("<u8")[:, :, 0]
    if not signed:
        return result
    shift = np.uint64(64 - width)
    return (result << shift).view(np.int64) >> np.int64(64 - width)


def _matrix(elements: ArrayLike) -> NDArray[Any]:
    values = np.asarray(elements)
    if values.dtype == np.bool_:
        values = values.astype(np.uint8)
    if values.dtype.kind not in "iu":
        raise InterfaceError(f"elements must be integers, got {values.dtype}")
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise InterfaceError(f"elements must have the shape (beats, elements per beat), got {values.shape}")
    return values


def _check(values: NDArray[Any], width: int) -> None:
    if not 1 <= width <= 64:
        raise InterfaceError(f"element width must be 1..64 bits, got {width}; nearest is {min(max(width, 1), 64)}")
    if values.size == 0:
        return
    low, high = int(values.min()), int(values.max())
    if high >= 2**width or low < -(2 ** (width - 1)) or (low < 0 and high >= 2 ** (width - 1)):
        raise InterfaceError(f"elements {low}..{high} do not fit in {width} bits, signed or unsigned")


def _chunks(count: int, bits: int) -> list[tuple[int, int]]:
    step = max(1, _CHUNK_BITS // max(bits, 1))
    return [(start, min(start + step, count)) for start in range(0, count, step)]
