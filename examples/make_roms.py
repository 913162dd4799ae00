"""ROMs of stream beats from matrices: own ones for matmul_top, or those of the examples.

    python make_roms.py A B FOLDER              # a.mem, b.mem and c.mem in FOLDER, and what to change in matmul_top
    python make_roms.py --write-examples FOLDER # the ROMs of the examples, in matmul_top/ and two_layers/ of FOLDER

A and B are .npy or .csv files of int8 integers, M x K and K x N.
"""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int64]

LANES, WIDTH, SUM = 4, 8, 32  # of gemm4: values a beat, bits of A and B, bits of C
MOST_BEATS = 65_535  # that rom_stream counts
GEMM4 = Path(__file__).parent / "matmul_top" / "gemm4.toml"


class Refused(Exception):
    """What is wrong with the input, in one sentence."""


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


def product(a: Matrix, b: Matrix) -> dict[str, str]:
    """The ROMs of matmul_top, and the C = A @ B that its bench expects."""
    return {"a.mem": beats(a, LANES, WIDTH), "b.mem": beats(b, LANES, WIDTH), "c.mem": beats(a @ b, LANES, SUM)}


def matmul_top() -> dict[str, str]:
    """C = A @ B."""
    rng = np.random.default_rng(4)
    return product(rng.integers(-128, 128, (5, 7)), rng.integers(-128, 128, (7, 6)))


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


def matrix(file: Path) -> Matrix:
    """The matrix in ``file``. Raises Refused for what is no matrix of int8 integers."""
    if file.suffix not in (".npy", ".csv"):
        raise Refused(f"{file} must be a .npy or .csv file")
    try:
        if file.suffix == ".npy":
            read = np.load(file, allow_pickle=False)
        else:
            lines = [line for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
            read = np.array([[int(value) for value in line.split(",")] for line in lines])
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror or 'it is no .npy file'}") from None
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise Refused(f"{file} must hold a matrix of integers, with rows of the same length") from None
    if not isinstance(read, np.ndarray) or read.ndim != 2 or read.size == 0:
        raise Refused(f"{file} must hold a matrix of at least one row and one column, got shape {np.shape(read)}")
    if read.dtype.kind not in "iuO" or (read.dtype.kind == "O" and file.suffix == ".npy"):
        raise Refused(f"{file} must hold integers, got {read.dtype}")
    low, high = -(1 << WIDTH - 1), (1 << WIDTH - 1) - 1
    for value in (read.min(), read.max()):
        if not low <= value <= high:
            near = min(max(int(value), low), high)
            raise Refused(f"{file} must hold int8 values, {low}..{high}, got {value}; nearest legal value is {near}")
    return read.astype(np.int64)


def words(rows: int, cols: int) -> int:
    """Beats of a matrix."""
    return rows * -(-cols // LANES)


def changes(m: int, n: int, k: int) -> str:
    """What to write into the files of matmul_top for C (M x N) = A (M x K) @ B (K x N)."""
    cycles = 1000 + 4 * (words(m, k) + words(k, n) + words(m, n)) + max(m, LANES) * words(k, n)
    text = f"""In matmul_top.v:
  localparam [15:0] M = 16'd{m}, N = 16'd{n}, K = 16'd{k};
  rom_stream #(.BEATS({words(m, k)}), .FILE(A_FILE)) rom_a (
  rom_stream #(.BEATS({words(k, n)}), .FILE(B_FILE)) rom_b (
In tb_matmul_top.v:
  localparam BEATS = {words(m, n)}, ROW = {words(1, n)}, CYCLES = {cycles};
"""
    most = tomllib.loads(GEMM4.read_text(encoding="utf-8"))
    wider = [f"{name} = {x}\n" for name, x in (("max_m", m), ("max_n", n), ("max_k", k)) if x > most[name]]
    if wider:
        text += f"In gemm4.toml, before you generate gemm4 anew:\n{''.join(wider)}"
    return text


def own(a_file: Path, b_file: Path, folder: Path) -> str:
    """Writes the ROMs of the product of two files into ``folder``; what to change in matmul_top."""
    a, b = matrix(a_file), matrix(b_file)
    (m, k), n = a.shape, b.shape[1]
    if len(b) != k:
        raise Refused(f"{b_file} must have as many rows as {a_file} has columns, {k}, got {len(b)}")
    for what, count in ((str(a_file), words(m, k)), (str(b_file), words(k, n)), ("their product", words(m, n))):
        if count > MOST_BEATS:
            raise Refused(f"{what} must be at most {MOST_BEATS} beats of {LANES} values, got {count}")
    texts = product(a, b)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return changes(m, n, k)


def write_examples(folder: Path) -> None:
    """Writes the files of both examples into their folders in ``folder``."""
    for example in (matmul_top, two_layers):
        (folder / example.__name__).mkdir(parents=True, exist_ok=True)
        for name, text in example().items():
            (folder / example.__name__ / name).write_text(text, encoding="utf-8")


def main(words: list[str]) -> int:
    """The command; gives its exit code."""
    try:
        match words:
            case ["-h" | "--help"]:
                print(__doc__, end="")
            case ["--write-examples", folder]:
                write_examples(Path(folder))
            case [a, b, folder] if not any(word.startswith("-") for word in words):
                print(own(Path(a), Path(b), Path(folder)), end="")
            case _:
                raise Refused("give the files of A and B and a folder for the ROMs; --help tells more")
    except Refused as refused:
        print(f"make_roms.py: {refused}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"make_roms.py: {error.filename} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
