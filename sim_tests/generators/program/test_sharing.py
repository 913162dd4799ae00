"""Products dealt to cores: bits stay, waves are full."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.generators.program.pieces import Piece
from tilewright.generators.program.plan import forced_plan, make_plan
from tilewright.generators.program.sharing import Bound, Share, Sharer, Sharing
from tilewright.generators.program.tiling import Tiling
from tilewright.hdl.engine.records import Opcode
from tilewright.sim_tests.generators.program.core_cases import check, with_cores
from tilewright.sim_tests.generators.program.engines import ENGINES, SMALL, WIDE
from tilewright.sim_tests.generators.program.problems import problem

ENDS = 250
"""Cycles in which memory has not answered the first loads, or the last store."""


@pytest.mark.parametrize("base", [SMALL, WIDE])
@pytest.mark.parametrize(("cores", "shape"), [(3, (1, 1, 1)), (2, (7, 6, 5)), (3, (9, 8, 4)), (16, (6, 5, 3))])
def test_results_are_the_same_in_any_order_of_cores(base: Any, cores: int, shape: tuple[int, int, int]) -> None:
    config = with_cores(cores, base)
    for start, finish in (("bias", True), ("old", False)):
        case = problem(config, *shape, start=start, finish=finish)  # type: ignore[arg-type]
        program = check(case, Sharer(config).share([case.product]))
        assert program[-1].opcode == Opcode.END
        assert max(instruction.core for instruction in program) < cores


def test_sums_of_floats_are_the_same_bits() -> None:
    config = with_cores(3, ENGINES["bf16"])
    case = problem(config, 7, 5, 9, start="bias")
    check(case, Sharer(config).share([case.product]))


def test_a_product_takes_about_its_part_of_the_time() -> None:
    """Each core has as much work as the next; more cores take less time."""
    before = 0
    for cores in (1, 2, 4):
        config = with_cores(cores)
        sharing = Sharer(config).share([problem(config, 32, 24, 16).product])
        assert sharing.busy > 0.95
        if before:
            assert 1.5 < before / (sharing.cycles - ENDS) < 2.1
        before = sharing.cycles - ENDS


def counts(sharing: Sharing) -> list[int]:
    """Shares of each core."""
    return [len(own) for own in sharing.shares]


@pytest.mark.parametrize(("products", "cores"), [(4, 4), (8, 4), (3, 3)])
def test_full_waves_of_products_are_dealt_whole(products: int, cores: int) -> None:
    config = with_cores(cores)
    product = problem(config, 8, 8, 8).product
    sharing = Sharer(config).share([product] * products)
    assert counts(sharing) == [products // cores] * cores
    assert all(share.piece == Piece(0, 0, 8, 8) for own in sharing.shares for _, share in own)
    assert [number for number, _ in sharing.shares[1]] == list(range(1, products, cores))


@pytest.mark.parametrize(("products", "cores"), [(1, 4), (5, 4), (2, 4), (7, 4), (133, 16)])
def test_the_last_wave_is_cut_so_that_no_core_stands_idle(products: int, cores: int) -> None:
    config = with_cores(cores)
    product = problem(config, 16, 12, 8).product
    alone = make_plan(product, config).cycles
    sharing = Sharer(config, lambda part: make_plan(part, config)).share([product] * products)
    waves = products // cores
    covered = {number: 0 for number in range(products)}
    for own in sharing.shares:
        for number, share in own:
            covered[number] += share.piece.rows * share.piece.cols
    assert set(covered.values()) == {192}
    assert max(counts(sharing)) > waves and sharing.cycles < (waves + 1) * alone
    assert min(counts(sharing)) >= waves


def test_the_smallest_piece_is_that_of_core_0() -> None:
    """It has the program to read."""
    config = with_cores(3)
    sharing = Sharer(config).share([problem(config, 13, 4, 16).product])
    sizes = [own[0][1].piece.rows * own[0][1].piece.cols for own in sharing.shares]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
    small = Sharer(with_cores(4)).share([problem(config, 1, 1, 1).product])
    assert counts(small) == [0, 0, 0, 1]


def test_a_forced_tiling_is_that_of_every_piece() -> None:
    config = with_cores(3)
    tiling = Tiling("ws", "mn", 3, 4, 4, 2, 1, a_stages=3, b_stages=2, c_places=2)
    case = problem(config, 20, 9, 7)
    sharing = Sharer(config, lambda part: forced_plan(part, tiling, config)).share([case.product])
    assert {share.plan.tiling for own in sharing.shares for _, share in own} == {tiling}
    check(case, sharing)


def test_traffic_is_that_of_the_pieces_own_addresses() -> None:
    config = with_cores(2)
    case = problem(config, 6, 33, 5)
    for own in Sharer(config).share([case.product]).shares:
        for _, share in own:
            assert isinstance(share, Share) and share.plan.traffic.c.runs >= share.piece.rows


def test_bounds_are_below_what_plans_take() -> None:
    for base in (SMALL, WIDE):
        for shape in ((4, 4, 4), (9, 8, 6), (1, 30, 8), (20, 3, 5)):
            product = problem(base, *shape).product
            plan = make_plan(product, base)
            cycles, moved = Bound(product, base).of([Piece(0, 0, *shape[:2])])
            assert cycles <= plan.cycles and moved <= plan.traffic.tensor_bytes
