"""The model of movement equals what counters on the RTL count."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.report.movement import movement, movements, recommended
from tilewright.generators.report.workload import Layer
from tilewright.hdl.systolic.records import Start
from tilewright.sim_tests.drivers.movement_counters import count_movement

SHAPES = ((4, 4, 4), (13, 9, 21), (7, 30, 3))
DATAFLOWS = ("ws", "os", "is")


def core(dataflow: str, rows: int, cols: int, **fields: Any) -> SystolicConfig:
    words = {"a_words": 256, "b_words": 256, "c_words": 256}
    settings = {"rows": rows, "cols": cols, "dataflow": dataflow, "module_name": "counted", "overflow": "wrap"}
    return systolic_config(settings | words | fields)


@pytest.mark.parametrize(
    "config",
    [core("any", 4, 3), core("ws", 3, 5, vector=2), core("os", 2, 4, overflow="saturate")],
    ids=["any", "ws vector", "os saturate"],
)
def test_model_equals_counters(config: SystolicConfig) -> None:
    dataflows = DATAFLOWS if config.dataflow == "any" else (config.dataflow,)
    for shape, dataflow, start in product(SHAPES, dataflows, Start):
        model = movement(config, Layer("x", *shape), dataflow, sums_given=start != Start.ZERO)
        counted = count_movement(config, shape, DATAFLOWS.index(dataflow), start=start)
        for name in ("steps", "a_words", "b_words", "c_reads", "c_writes"):
            assert getattr(model, name) == getattr(counted, name), (name, shape, dataflow, start)
        if config.dataflow == "any":  # its elements tell of every hop
            assert counted.sum_hops == model.sum_hops, (shape, dataflow, start)


def test_long_products_recommend_the_dataflow_that_keeps_sums() -> None:
    assert recommended(movements(core("any", 8, 8), Layer("x", 8, 8, 512))).dataflow == "os"


def test_many_rows_recommend_weights_that_stay_and_many_columns_inputs() -> None:
    config = core("any", 8, 8)
    assert recommended(movements(config, Layer("x", 512, 8, 8))).dataflow == "ws"
    assert recommended(movements(config, Layer("x", 8, 512, 8))).dataflow == "is"


def test_each_step_loads_one_word_of_each_stream() -> None:
    full = movement(core("os", 4, 4), Layer("x", 8, 8, 100), "os")
    assert (full.a_words, full.b_words, full.c_writes, full.c_reads) == (400, 400, 16, 0)
    assert full.per_mac(full.a_values) == 1 / 4
