"""Products cut into pieces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tilewright.generators.program.pieces import Piece, blocks, cuts, piece_of, whole
from tilewright.generators.program.product import Added, Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.window import Window
from tilewright.sim_tests.generators.program.engines import SMALL, WIDE
from tilewright.sim_tests.generators.program.problems import problem


def covered(product: Product, pieces: tuple[Piece, ...] | list[Piece]) -> bool:
    """Whether each value of C is in one piece."""
    counts = np.zeros((product.m, product.n), dtype=int)
    for piece in pieces:
        assert min(piece.rows, piece.cols) > 0
        counts[piece.row : piece.row + piece.rows, piece.column : piece.column + piece.cols] += 1
    return bool((counts == 1).all())


@pytest.mark.parametrize("config", [SMALL, WIDE])
@pytest.mark.parametrize("cores", [2, 3, 5, 7, 16])
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 40, 3), (40, 1, 3), (3, 2, 4), (37, 29, 8), (64, 64, 4)])
def test_every_cut_covers_c_once_with_a_piece_for_each_core(
    config: Any, cores: int, shape: tuple[int, int, int]
) -> None:
    product = problem(config, *shape).product
    found = list(cuts(product, config, cores))
    assert len(set(found)) == len(found) >= 1
    for pieces in found:
        assert 1 <= len(pieces) <= cores
        assert covered(product, pieces)
    most = max(len(pieces) for pieces in found)
    assert most == min(cores, product.m * product.n) or most >= cores - 1 or product.m * product.n < 2 * cores


def test_pieces_of_a_large_product_are_alike_whatever_the_number_of_cores() -> None:
    product = problem(SMALL, 64, 61, 4).product
    for cores in range(2, 17):
        largest = min(max(p.rows * p.cols for p in pieces) for pieces in cuts(product, SMALL, cores))
        assert largest <= 64 * 61 / cores * 1.15


def test_a_piece_is_made_of_the_parts_that_belong_to_it() -> None:
    product = problem(SMALL, 9, 8, 5, start="bias", finish=True).product
    part = piece_of(product, Piece(2, 3, 4, 5))
    assert (part.a, part.b) == (Window(product.a, 2, 0, 4, 5), Window(product.b, 0, 3, 5, 5))
    assert product.start is not None and part.start == Window(product.start, 0, 3, 1, 5)
    assert part.c == Window(product.c, 2, 3, 4, 5)
    old = piece_of(problem(SMALL, 9, 8, 5, start="old").product, Piece(2, 3, 4, 5))
    assert isinstance(old.start, Window) and (old.start.row, old.start.rows) == (2, 4)
    assert piece_of(product, whole(product)) is product


def test_pooled_results_added_tensors_and_channels_are_cut_too() -> None:
    c = Matrix(0, 16, 8, 1)
    finish = Finish(1, 0, 0, -128, 127, channels=4096, added=Added(Matrix(512, 64, 8, 1), {}), pool_width=4)
    product = Product(Matrix(0, 64, 3, 1), Matrix(0, 3, 8, 1), c, finish=finish)
    part = piece_of(product, Piece(16, 4, 24, 4), 9000)
    assert part.c == Window(c, 4, 4, 6, 4) and part.finish is not None and part.finish.added is not None
    assert part.finish.added.view == Window(Matrix(512, 64, 8, 1), 16, 4, 24, 4)
    assert part.finish.channels == 9000 and piece_of(product, Piece(16, 4, 24, 4)).finish.channels == 4096  # type: ignore[union-attr]
    for pieces in cuts(product, SMALL, 3):
        assert all(piece.row % 8 == 0 and piece.rows % 8 == 0 for piece in pieces), "two lines are pooled together"


def test_blocks_are_of_one_size_but_for_those_at_the_edges() -> None:
    product = replace(problem(SMALL, 10, 7, 3).product)
    found = blocks(product, 4, 5)
    assert covered(product, found)
    assert found[0] == Piece(0, 0, 4, 5) and found[1] == Piece(0, 5, 4, 2) and found[-1] == Piece(8, 5, 2, 2)
