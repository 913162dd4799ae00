"""The arithmetic contract in plain Python integers, which know no width."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[Sequence[int]]


def exact_gemm(a: Rows, b: Rows, start: Rows, width: int, *, saturating: bool, vector: int) -> list[list[int]]:
    """``start + a @ b`` in signed accumulators of ``width`` bits; ``start`` is M x N."""
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    result = []
    for left, seeds in zip(a, start, strict=True):
        row = []
        for n, total in enumerate(seeds):
            products = [x * right[n] for x, right in zip(left, b, strict=True)]
            for k in range(0, len(products), vector):
                total += sum(products[k : k + vector])
                total = min(max(total, low), high) if saturating else (total - low) % (high - low + 1) + low
            row.append(total)
        result.append(row)
    return result
