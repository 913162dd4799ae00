"""Writes the ROMs of matmul_top and two_layers from numpy matrices, and what must come out of them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int64]


def beats(matrix: Matrix, lanes: int, width: int) -> str:
    """One line of hexadecimal {keep, data} a beat; every row starts on a new beat, value 0 is the lowest."""
    lines = []
    for row in matrix.tolist():
        for start in range(0, len(row), lanes):
            values = row[start : start + lanes]
            data = sum((value & ((1 << width) - 1)) << lane * width for lane, value in enumerate(values))
            keep = (1 << len(values)) - 1
            lines.append(f"{keep << lanes * width | data:0{(lanes * width + lanes + 3) // 4}x}")
    return "\n".join(lines) + "\n"


def matmul_top() -> dict[str, str]:
    """C = A @ B."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(-128, 128, (5, 7)), rng.integers(-128, 128, (7, 6))
    return {"a.mem": beats(a, 4, 8), "b.mem": beats(b, 4, 8), "c.mem": beats(a @ b, 4, 32)}


def two_layers() -> dict[str, str]:
    """Y = squeezed(X @ W1) @ W2, where a hidden value is shifted right by 7 and clamped to 0..255."""
    rng = np.random.default_rng(5)
    x, w1, w2 = rng.integers(-128, 128, (6, 7)), rng.integers(-128, 128, (7, 5)), rng.integers(-8, 8, (5, 3))
    hidden = np.clip((x @ w1) >> 7, 0, 255)
    return {
        "x.mem": beats(x, 4, 8),
        "w1.mem": beats(w1, 4, 8),
        "w2.mem": beats(w2, 3, 4),
        "y.mem": beats(hidden @ w2, 3, 16),
    }


def main(folder: Path) -> None:
    """Writes the files of both examples into their folders in ``folder``."""
    for example in (matmul_top, two_layers):
        for name, text in example().items():
            (folder / example.__name__ / name).write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
