"""Cycles by dataflow, and what others count."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.report.cycles import layer_cycles, scale_sim
from tilewright.generators.report.workload import Layer


def core(dataflow: str = "any", size: int = 16, **fields: Any) -> SystolicConfig:
    return systolic_config({"rows": size, "cols": size, "dataflow": dataflow, **fields})


@pytest.mark.parametrize(
    ("shape", "size", "printed"),
    [
        ((64, 64, 64), 16, (1759, 1503, 1759)),
        ((100, 37, 53), 16, (1751, 1742, 2323)),
        ((256, 256, 256), 16, (77311, 73215, 77311)),
        ((256, 256, 256), 32, (22399, 20351, 22399)),
    ],
)
def test_scale_sim_prints_these(shape: tuple[int, int, int], size: int, printed: tuple[int, int, int]) -> None:
    layer = Layer("x", *shape)
    assert tuple(scale_sim(size, size, layer, dataflow) for dataflow in ("ws", "os", "is")) == printed


@pytest.mark.parametrize(
    ("shape", "size", "bound"),
    [((64, 64, 64), 16, 1070), ((100, 37, 53), 16, 1082), ((256, 256, 256), 16, 65582), ((256, 256, 256), 32, 16478)],
)
def test_the_bound_is_that_of_overlapped_folds(shape: tuple[int, int, int], size: int, bound: int) -> None:
    best = layer_cycles(core(size=size), Layer("x", *shape)).best
    assert best.bound == bound
    # Decode, memory, product and write-back; a rotator of 32 lanes has a register more than one of 16.
    assert bound < best.cycles <= bound + (18 if size == 16 else 19)


def test_the_best_dataflow_is_recommended() -> None:
    found = layer_cycles(core(), Layer("x", 100, 37, 53))
    assert found.recommended == "is"
    assert found.best.cycles == min(row.cycles for row in found.rows)
    assert [(row.folds, row.stream) for row in found.rows] == [(12, 100), (21, 53), (28, 37)]


def test_a_core_of_one_dataflow_recommends_its_own_and_shows_the_others() -> None:
    found = layer_cycles(core("os"), Layer("x", 100, 37, 53))
    assert (found.recommended, found.best.core) == ("os", "os")
    assert [row.core for row in found.rows] == ["ws", "os", "is"]


def test_utilisation_counts_every_multiplier() -> None:
    layer = Layer("x", 40, 24, 64)
    for vector in (1, 4):
        row = layer_cycles(core("os", 8, vector=vector), layer).best
        assert row.utilisation == layer.macs / (row.cycles * 64 * vector)


def test_products_of_a_layer_follow_one_another() -> None:
    one = layer_cycles(core(), Layer("x", 64, 1, 9))
    assert layer_cycles(core(), Layer("x", 64, 1, 9, 32)).cycles == 32 * one.cycles


@pytest.mark.parametrize(
    ("shape", "fits"),
    [
        ((256, 256, 256), True),
        ((257, 256, 256), False),
        ((256, 256, 257), False),
        ((1, 1, 4096), True),
        ((1, 1, 4097), False),
        ((4096, 16, 16), True),
        ((70_000, 1, 1), False),
    ],
)
def test_what_the_scratchpads_hold_fits(shape: tuple[int, int, int], fits: bool) -> None:
    assert layer_cycles(core("ws", c_words=4096), Layer("x", *shape)).best.fits is fits
