"""The product of two integer matrices as the hardware forms it, bit for bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric import IntFormat, saturate, wrap

Matrix = NDArray[np.int64]

_FLOAT_EXACT = 1 << 53  # integers below are exact in float64, whose product numpy computes fast


def gemm(a: ArrayLike, b: ArrayLike, start: ArrayLike, acc: IntFormat, *, saturating: bool, vector: int = 1) -> Matrix:
    """``start + a @ b`` in accumulators of format ``acc``.

    ``wrap``: the exact sum modulo ``2**acc.width``. ``saturating``: a chain over k ascending, which begins with
    ``start``; a step adds the exact dot product of ``vector`` elements (of what is left of them, in the last one) and
    clamps the sum to the range of ``acc``.

    Args:
        a: M x K, integers of at most 17 bits.
        b: K x N, integers of at most 17 bits.
        start: anything that broadcasts to M x N: 0, a row (bias) or an old C; values of ``acc``.
        acc: a signed format of at most 64 bits; one ``vector``-dot product must fit.
        saturating: clamp at every step instead of wrapping at the end.
        vector: elements of a step.

    Returns:
        M x N, values of ``acc``.

    Raises:
        ValueError: ``acc`` is unsigned, or the matrices do not fit together.
    """
    left, right = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    if not acc.signed:
        raise ValueError(f"acc must be signed, got {acc}")
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
        raise ValueError(f"a and b must be M x K and K x N, got {left.shape} and {right.shape}")
    total = np.broadcast_to(np.asarray(start, dtype=np.int64), (left.shape[0], right.shape[1]))
    if not saturating:
        return wrap(total + _product(left, right), acc)
    for k in range(0, left.shape[1], vector):
        total = _clamped_sum(total, _product(left[:, k : k + vector], right[k : k + vector]), acc)
    return total.copy()


def _product(a: Matrix, b: Matrix) -> Matrix:
    """``a @ b`` modulo ``2**64``, exact wherever it fits."""
    if a.size == 0 or b.size == 0:
        return np.zeros((a.shape[0], b.shape[1]), dtype=np.int64)
    bound = int(np.abs(a).max()) * int(np.abs(b).max()) * a.shape[1]
    if bound < _FLOAT_EXACT:
        return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64)
    return a @ b


def _clamped_sum(total: Matrix, step: Matrix, acc: IntFormat) -> Matrix:
    """``total + step``, clamped; both are values of ``acc``, and 64 bits of it are enough."""
    moved = total + step
    left_int64 = ((total ^ moved) & (step ^ moved)) < 0
    return saturate(np.where(left_int64, np.where(step < 0, acc.min, acc.max), moved), acc)
