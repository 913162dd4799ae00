from __future__ import annotations

import numpy as np
import pytest

from tilewright.fpga.host.memory_map import MemoryMap
from tilewright.sim_tests.fpga.host.engines import INTEGERS, accelerator, refuses


def test_places_are_aligned_and_never_overlap() -> None:
    places = MemoryMap(100, 1000)
    assert places.take("x", 0) == 128
    assert places.take("x", 1) == 128
    assert places.take("y", 64) == 192
    assert places.take("z", 65) == 256
    assert places.take("w", 1) == 384
    places.begin()
    assert places.take("x", 1) == 128


def test_what_is_kept_stays() -> None:
    places = MemoryMap(0, 1024)
    assert places.keep("k", 100) == 0
    assert places.take("x", 10) == 128
    assert places.keep("m", 10) == 128
    places.begin()
    assert places.take("x", 10) == 192


def test_what_passes_is_free_again() -> None:
    places = MemoryMap(0, 1024)
    assert places.take("x", 100) == 0
    with pytest.raises(ZeroDivisionError), places.passing():
        assert places.take("y", 100) == 128
        assert places.left == 768
        _ = 1 / 0
    assert places.take("z", 1) == 128


@pytest.mark.parametrize("size", [897, 1 << 40])
def test_full_it_says_so_and_keeps_what_it_has(size: int) -> None:
    places = MemoryMap(0, 1024)
    places.keep("k", 128)
    refuses(lambda: places.keep("b", size), f"b must fit into the memory that is left, 896 bytes, got {size}")
    refuses(lambda: places.take("x", size), f"x must fit into the memory that is left, 896 bytes, got {size}")
    assert places.take("x", 896) == 128
    refuses(lambda: places.take("y", 1), "y must fit into the memory that is left, 0 bytes, got 1")


def test_a_memory_that_is_too_small_for_a_product() -> None:
    rng = np.random.default_rng(1)
    with accelerator(INTEGERS, memory_bytes=4096) as small:
        a, b = rng.integers(-9, 9, (8, 8)), rng.integers(-9, 9, (8, 8))
        large = np.zeros((70, 70), int)
        placed = small.put(b, "b")
        for call, name in (
            (lambda: small.matmul(large, large), "a"),
            (lambda: small.matmul(np.zeros((8, 400), int), np.zeros((400, 8), int)), "b"),
            (lambda: small.matmul(np.zeros((60, 4), int), np.zeros((4, 60), int)), "the result"),
            (lambda: small.matmul(np.zeros((1, 1), int), np.zeros((1, 2000), int), bias=np.zeros(2000, int)), "bias"),
            (lambda: small.put(large, "b"), "b"),
            (lambda: small.conv2d(large[None, :, :, None], np.ones((1, 1, 1, 1), int)), "x"),
            (lambda: small.matmul(np.zeros((1, 1), int), np.zeros((1, 600), int)), "the program"),
        ):
            before = small.last
            refuses(call, f"{name} must fit into the memory that is left, ")
            assert small.last is before
            assert np.array_equal(small.matmul(a, placed), a @ b)
