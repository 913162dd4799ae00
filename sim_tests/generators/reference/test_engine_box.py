"""Containers and codes; boxes of tensors are compared with numpy where the tensors are described."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.reference.engine_box import codes, gather, scatter
from tilewright.hdl.numeric import BF16, Format, IntFormat


@pytest.mark.parametrize(
    ("fmt", "raw", "code"),
    [
        (IntFormat(4), 0xF9, -7),  # what lies above the code is not looked at
        (IntFormat(4, False), 0xF9, 9),
        (IntFormat(8), 0x80, -128),
        (IntFormat(12), 0x17FF, 2047),
        (IntFormat(32), 0xFFFFFFFF, -1),
        (IntFormat(64), -5, -5),
        (BF16, 0xBF80, 0xBF80),
    ],
)
def test_codes_of_containers(fmt: Format, raw: int, code: int) -> None:
    assert codes(np.array([raw], dtype=np.int64), fmt).tolist() == [code]


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_little_endian_there_and_back(size: int) -> None:
    memory = np.zeros(64, dtype=np.uint8)
    address = np.array([3, 3 + size, 40])
    values = np.array([-2, 77, -(1 << (8 * size - 1))], dtype=np.int64)
    scatter(memory, address, values, size)
    assert memory[3 : 3 + size].tolist() == [0xFE, *[0xFF] * (size - 1)]
    np.testing.assert_array_equal(codes(gather(memory, address, size), IntFormat(8 * size)), values)
