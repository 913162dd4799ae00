"""The cores on which products of floats are compared."""

from __future__ import annotations

from typing import Any

from tilewright.generators.config.systolic import systolic_config
from tilewright.sim_tests.system.designs import Design

FORMATS = {
    "bf16": ("bf16", "bf16"),
    "fp16": ("fp16", "fp16"),
    "fp8_e4m3": ("fp8_e4m3", "fp8_e4m3"),
    "fp8_e5m2": ("fp8_e5m2", "fp8_e5m2"),
    "fp8_e4m3 x fp8_e5m2": ("fp8_e4m3", "fp8_e5m2"),
}

WINDOWED = {"bf16 in fx48, exact": 24, "bf16 in fx48, rounded": 9}
"""Binary points: one at which no product of `float_judge.window_case` has bits below, one at which most have."""

_ADDS = {
    "bf16": (3, 1, 4),
    "fp16": (1, 3, 1),
    "fp8_e4m3": (4, 4, 3),
    "fp8_e5m2": (2, 1, 3),
    "fp8_e4m3 x fp8_e5m2": (1, 4, 2),
}
"""Cycles of the add, of ws, os and is."""

_VECTORS = {"fp8_e5m2": 2}

WIDEST, DEEPEST = 40, 300


def cores(name: str) -> list[Design]:
    """8x8 cores of a pair of ``FORMATS``: one for each dataflow, and one that does all."""
    adds = dict(zip(("ws", "os", "is"), _ADDS[name], strict=True)) | {"any": 1}
    a, b = FORMATS[name]
    fields = {"a": a, "b": b, "vector": _VECTORS.get(name, 1)}
    return [_core(flow, 8, 8, fields | {"add_latency": cycles}) for flow, cycles in adds.items()]


def windowed_cores() -> list[Design]:
    """Cores of bf16 in fx48 that do all dataflows, of three sizes; one takes two products a step."""
    fields = {"a": "bf16", "b": "bf16", "acc": "fx48"}
    sizes = ((8, 8, 1), (5, 3, 1), (3, 6, 2))
    return [_core("any", rows, cols, fields | {"vector": vector}) for rows, cols, vector in sizes]


def _core(dataflow: str, rows: int, cols: int, fields: dict[str, Any]) -> Design:
    formats = "_".join(str(fields[name]) for name in ("a", "b"))
    name = f"floats_{dataflow}_{rows}x{cols}_{formats}{'_' + fields['acc'] if 'acc' in fields else ''}"
    # Cuts along K, M and N take more words than the matrices whole.
    words = {"a_words": 8192, "b_words": 8192, "c_words": 1024}
    return Design(
        name,
        systolic_config({"module_name": name, "dataflow": dataflow, "rows": rows, "cols": cols, **words, **fields}),
    )
