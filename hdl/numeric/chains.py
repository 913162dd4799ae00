"""Products of matrices in the order of the contract: a chain over k ascending that begins with the start value."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.codes import Codes, Floats, decode, encode
from tilewright.hdl.numeric.floating import FP32
from tilewright.hdl.numeric.fused import Pair, exact_product, exact_sum, rounded
from tilewright.hdl.numeric.window import FxFormat, check_point, check_width
from tilewright.hdl.numeric.window_sum import WindowSum, accumulate, accumulate_step, empty_sum, place


def float_chain(
    a: ArrayLike,
    b: ArrayLike,
    formats: Pair,
    start: ArrayLike = 0,
    *,
    vector: int = 1,
    present: ArrayLike | None = None,
) -> Codes:
    """``start + a @ b`` in fp32 accumulators.

    ``vector`` 1: each k ascending is one fused multiply-add, rounded once, onto what ``start`` has become so far.
    ``vector`` above 1: the exact products of ``vector`` consecutive k meet in a balanced tree, (0, 1), (2, 3) and so
    on, level by level; each node rounds once to fp32, and what comes out is added to the chain with one rounding.
    What is absent takes no part: a node of one passes it on as it is (a product still exact), a step of none is
    skipped. Hence 0 times infinity of a masked k makes no NaN, and a chain of nothing is ``start``, -0 too.

    Args:
        a: codes, M x K.
        b: codes, K x N.
        formats: theirs, in this order; any.
        start: codes of fp32 that broadcast to M x N: +0, a row (bias), or the partial sums of the k before.
        vector: elements of a step, at least 1; the last step has what is left of K.
        present: K booleans, False for a k that is masked; all are present by default.

    Returns:
        Codes of fp32, M x N. ``convert`` narrows them: fp32 accumulation, one final rounding.

    Raises:
        ValueError: matrices, start and mask do not fit together, a vector below 1, or something is not a code.
    """
    rows, columns = decode(a, formats[0]), decode(b, formats[1])
    shape = _result_shape(rows, columns)
    depth = rows.shape[1]
    mask = _mask(depth, vector, present)
    begin = decode(start, FP32)
    _check_start(begin, shape)
    total = np.broadcast_to(begin, shape)
    for first in range(0, depth, vector):
        elements = range(first, min(first + vector, depth))
        leaves = [exact_product(rows[:, k, None], columns[k]) if mask[k] else None for k in elements]
        step = _tree(leaves)
        if step is not None:
            total = rounded(exact_sum(total, step), FP32)
    return encode(total, FP32)


def window_chain(
    a: ArrayLike,
    b: ArrayLike,
    formats: Pair,
    fmt: FxFormat,
    point: int,
    start: WindowSum | None = None,
    *,
    vector: int = 1,
    present: ArrayLike | None = None,
) -> WindowSum:
    """``start + a @ b`` in windows, over k ascending; any other order, or ``vector``, gives the same integers.

    The overflow flag watches each step of ``vector`` products, whose sum is exact: see ``accumulate_step``.

    Args:
        a: codes, M x K.
        b: codes, K x N.
        formats: theirs, in this order; any.
        fmt: the window.
        point: its bit 0 weighs ``2**-point``; -512..512.
        start: sums with the same window and binary point that broadcast to M x N; 0 by default.
        vector: elements of a step, at least 1; the last step has what is left of K.
        present: K booleans, False for a k that is masked: it adds nothing and sets no flag; all are present by default.

    Returns:
        Sums and flags, M x N, to be converted by ``from_window``.

    Raises:
        ValueError: matrices and mask do not fit together, ``fmt`` is too small for one product, another ``point``, a
            vector below 1, or something is not a code of its format.
    """
    check_width(fmt, *formats)
    check_point(point)
    rows, columns = decode(a, formats[0]), decode(b, formats[1])
    shape = _result_shape(rows, columns)
    total = empty_sum(shape)
    if start is not None:
        _check_start(start.integers, shape)
        total = accumulate(total, start, fmt)
    depth = rows.shape[1]
    mask = _mask(depth, vector, present)
    for first in range(0, depth, vector):
        elements = range(first, min(first + vector, depth))
        terms = [place(exact_product(rows[:, k, None], columns[k]), fmt, point) for k in elements if mask[k]]
        total = accumulate_step(total, terms, fmt)
    return total


def _mask(depth: int, vector: int, present: ArrayLike | None) -> NDArray[np.bool_]:
    """Which of ``depth`` k take part, or ValueError."""
    if vector < 1:
        raise ValueError(f"vector must be at least 1, got {vector}; nearest legal value is 1")
    mask = np.ones(depth, dtype=np.bool_) if present is None else np.asarray(present)
    if mask.dtype != np.bool_ or mask.shape != (depth,):
        raise ValueError(f"present must be {depth} booleans, got an array of {mask.dtype} of shape {mask.shape}")
    return mask


def _result_shape(a: Floats, b: Floats) -> tuple[int, int]:
    """M, N of the product of M x K and K x N, or ValueError."""
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"a and b must be M x K and K x N, got {a.shape} and {b.shape}")
    return a.shape[0], b.shape[1]


def _check_start(start: NDArray[np.generic], shape: tuple[int, int]) -> None:
    """Raises ValueError unless ``start`` broadcasts to the shape of the result."""
    axes = zip(start.shape[::-1], shape[::-1], strict=False)
    if start.ndim > len(shape) or any(given not in (1, wanted) for given, wanted in axes):
        raise ValueError(f"start must broadcast to M x N = {shape}, got an array of shape {start.shape}")


def _tree(leaves: list[Floats | None]) -> Floats | None:
    """The balanced sum of what is present; a single one stays as exact as it came."""
    while len(leaves) > 1:
        leaves = [_node(left, right) for left, right in zip_longest(leaves[::2], leaves[1::2])]
    return leaves[0]


def _node(left: Floats | None, right: Floats | None) -> Floats | None:
    """The fp32 sum of two, the one that is present, or None."""
    if left is None or right is None:
        return right if left is None else left
    return rounded(exact_sum(left, right), FP32)
