"""How large the Verilog of a design is, and how long it takes to make."""

from __future__ import annotations

import os

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit import generate
from tilewright.generators.emit.elaborate import modules

LARGE = {"rows": 128, "cols": 128, "dataflow": "ws", "max_m": 512, "max_n": 512, "max_k": 512}


def config(**fields: object) -> SystolicConfig:
    return systolic_config(fields)


def test_a_large_core_is_small_and_quick() -> None:
    start = sum(os.times()[:4])
    files = generate(config(**LARGE))
    assert sum(os.times()[:4]) - start <= 20  # those of Yosys, which runs beside, included
    assert len(files["tilewright_gemm.v"].encode()) <= 200_000


def test_scratchpads_twice_as_deep_cost_at_most_ten_bytes() -> None:
    pads = config(**LARGE).scratchpads
    sizes = []
    for times in (1, 2):
        words = {f"{name}_words": times * pad.words for name, pad in vars(pads).items()}
        sizes.append(len(generate(config(**LARGE, **words))["tilewright_gemm.v"].encode()))
    assert sizes[1] - sizes[0] <= 10


def test_the_number_of_modules_does_not_grow_with_the_array() -> None:
    for flow in ("ws", "any"):
        # Where rows and columns differ, blocks at the two edges do too.
        for shapes in (((4, 4), (16, 16)), ((4, 8), (8, 16))):
            counts = [len(modules(config(rows=rows, cols=cols, dataflow=flow))) for rows, cols in shapes]
            assert max(counts) - min(counts) <= 2, (flow, counts)  # delays of equal length are one module
            assert counts[-1] <= counts[0] + 2 <= 75


def test_no_module_is_defined_twice() -> None:
    names = [module.name for module in modules(config(rows=5, cols=3, dataflow="any"))]
    assert len(set(names)) == len(names)
    assert sum("_pe_" in name for name in names) == 1
    assert sum("_row_" in name for name in names) == 1
