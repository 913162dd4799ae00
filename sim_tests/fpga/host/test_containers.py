from __future__ import annotations

import numpy as np
import pytest

from tilewright.fpga.host.containers import from_bytes, to_bytes
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.transposed import Transposed
from tilewright.hdl.numeric import BF16, FP32, Format, FxFormat, IntFormat, code_format, container_bytes

FORMATS: list[Format] = [
    *(IntFormat(width, signed) for width in (2, 4, 7, 8, 9, 12, 16, 17, 20, 32) for signed in (True, False)),
    IntFormat(33), IntFormat(63), IntFormat(64), BF16, FP32, FxFormat(32), FxFormat(48),
]  # fmt: skip


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_codes_come_back_and_what_lies_above_them_is_not_looked_at(fmt: Format) -> None:
    rng = np.random.default_rng(3)
    width = code_format(fmt).width
    signed = isinstance(fmt, IntFormat) and fmt.signed
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    codes = np.array([low, high, 0, 1, *rng.integers(low, high, 20, endpoint=True)], dtype=np.int64)
    data = to_bytes(codes, fmt)
    size = container_bytes(fmt)
    assert len(data) == size * len(codes)
    assert np.array_equal(from_bytes(data, fmt), codes)
    words = [int.from_bytes(data[at : at + size].tobytes(), "little") for at in range(0, len(data), size)]
    assert [word % (1 << width) for word in words] == [int(code) % (1 << width) for code in codes]
    noisy = data.copy()
    for at in range(size):
        above = 0xFF << max(0, width - 8 * at) & 0xFF
        noisy[at::size] ^= rng.integers(0, 256, len(codes)).astype(np.uint8) & np.uint8(above)
    assert np.array_equal(from_bytes(noisy, fmt), codes)


def test_rows_follow_each_other() -> None:
    codes = np.arange(6).reshape(2, 3)
    assert to_bytes(codes.T, IntFormat(8)).tolist() == [0, 3, 1, 4, 2, 5]
    assert to_bytes(codes, IntFormat(12)).tolist() == [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]


def test_bytes_of_a_matrix_in_memory() -> None:
    array = DeviceArray(640, (3, 5), IntFormat(20))
    assert array.size == 60
    view, turned = array.view, array.T.view
    assert isinstance(view, Matrix) and isinstance(turned, Transposed)
    assert (turned.address, turned.rows, turned.cols, turned.value_bytes, turned.pitch) == (640, 5, 3, 4, 20)
    assert (view.address, view.rows, view.cols, view.value_bytes) == (640, 3, 5, 4)
