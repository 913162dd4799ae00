"""Runs of boxes against boxes by definition, element by element."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.box_walk import BoxWalk
from tilewright.sim_tests.hdl.engine.boxes import Box, Tensor, convolution, matrix, random_box
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

Runs = list[tuple[int, dict[str, Any]]]


def walk(boxes: list[Box], address_bits: int = 40, idle: float = 0, stall: float = 0) -> Runs:
    """Cycle and fields of each run."""
    block = BoxWalk(address_bits)
    orders = [box.order(stream=n % 5, tag=n % 251) for n, box in enumerate(boxes)]
    found: list[tuple[int, Any]] = []
    done = lambda: sum(run.last for _, run in found) == len(boxes)  # noqa: E731
    work = sum(box.rows * box.cols for box in boxes) + 40 * len(boxes) + 100
    simulate(block, [send(block.i, orders, idle=idle), take(block.o, found, stall=stall)], done, limit=8 * work)
    return [(cycle, {field: run[field] for field in run.shape().members}) for cycle, run in found]


def check(boxes: list[Box], runs: Runs, address_bits: int = 40) -> None:
    """Every element has its address, or none, in order; runs end where lines and rows do, not before."""
    left = iter([run for _, run in runs])
    for number, box in enumerate(boxes):
        t = box.tensor
        address, inside = box.elements()
        for row in range(box.rows):
            at = 0
            while at < box.cols:
                run = next(left)
                size = run["bytes"] >> t.element
                assert size << t.element == run["bytes"]
                assert size == min(box.cols - at, t.line - (box.column + at) % t.line)
                assert run["inside"] == inside[row, at]
                assert (inside[row, at : at + size] == run["inside"]).all()
                if run["inside"]:
                    expected = address[row, at : at + size] & ((1 << address_bits) - 1)
                    got = (run["address"] + (np.arange(size) << t.element)) & ((1 << address_bits) - 1)
                    assert (got == expected).all()
                at += size
                assert run["row_end"] == (at == box.cols)
                assert run["last"] == (at == box.cols and row == box.rows - 1)
                assert (run["stream"], run["element"], run["tag"]) == (number % 5, t.element, number % 251)
                assert run["fill"] == t.fill
    assert next(left, None) is None


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.7, 0), (0, 0.6), (0.4, 0.4)])
def test_random_boxes(idle: float, stall: float) -> None:
    rng = np.random.default_rng(int(10 * idle + 100 * stall))
    boxes = [random_box(rng, int(rng.integers(0, 1 << 38)), int(rng.integers(0, 4))) for _ in range(30)]
    check(boxes, walk(boxes, idle=idle, stall=stall))


@pytest.mark.parametrize("address_bits", [12, 33, 63])
def test_addresses_count_modulo_their_width(address_bits: int) -> None:
    rng = np.random.default_rng(address_bits)
    boxes = [convolution(rng, (1 << address_bits) - 60, 1, rows=40, cols=40) for _ in range(10)]
    boxes = [replace(box, tensor=replace(box.tensor, x_size=9, y_size=9)) for box in boxes]
    check(boxes, walk(boxes, address_bits), address_bits)


def test_largest_sizes() -> None:
    wide = Tensor(5, line=2**32 - 1, element=3, out_x_stride=-(2**31), batch_stride=2**31 - 1, out_x_count=1)
    long = Tensor(7, line=65535, element=0, out_y_count=65535, out_x_count=1, out_y_stride=2**31 - 1, batch_stride=-9)
    boxes = [
        Box(wide, rows=3, cols=65535, column=3),
        Box(long, rows=5, cols=65535, out_y=65533),
        Box(replace(long, line=1), rows=2, cols=300),
        Box(replace(long, x_size=0), rows=1, cols=1),
    ]
    check(boxes, walk(boxes))


def test_a_run_a_cycle_and_no_gap_between_orders() -> None:
    rng = np.random.default_rng(1)
    boxes = [matrix(4096, 512, 64, 64) for _ in range(3)] + [
        replace(convolution(rng, 4096, 0, rows=30, cols=30)) for _ in range(4)
    ]
    runs = walk(boxes)
    cycles = [cycle for cycle, _ in runs]
    assert cycles == list(range(cycles[0], cycles[0] + len(cycles)))
    assert cycles[0] == BoxWalk.latency


def test_small_orders_take_a_few_cycles() -> None:
    runs = walk([matrix(64 * n, 16, 1, 16) for n in range(8)])
    assert {b - a for (a, _), (b, _) in pairwise(runs)} == {BoxWalk.order_cycles}


@pytest.mark.parametrize(("lines", "bits"), [(1, 1), (2, 1), (3, 2), (56, 6), (65535, 16)])
def test_latency_grows_with_the_bits_of_the_lines_of_a_picture(lines: int, bits: int) -> None:
    ((cycle, _),) = walk([Box(Tensor(0, line=4, out_y_count=lines), 1, 1)])
    assert cycle == BoxWalk.latency + bits - 1


@pytest.mark.parametrize(("rows", "cols"), [(0, 5), (5, 0), (0, 0)])
def test_nothing_is_one_empty_run(rows: int, cols: int) -> None:
    runs = walk([matrix(0, 16, rows, cols), matrix(99, 16, 1, 1)])
    (_, empty), (_, other) = runs
    assert (empty["bytes"], empty["inside"], empty["row_end"], empty["last"]) == (0, 0, 1, 1)
    assert (other["bytes"], other["inside"], other["address"]) == (1, 1, 99)


@pytest.mark.parametrize("bits", [11, 65])
def test_address_bits(bits: int) -> None:
    with pytest.raises(ValueError, match=rf"address_bits must be 12\.\.64, got {bits}"):
        BoxWalk(bits)
