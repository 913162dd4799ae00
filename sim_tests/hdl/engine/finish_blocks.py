"""What the one build of the tests of finish paths holds."""

from __future__ import annotations

from functools import cache
from typing import Any

from tilewright.hdl.engine.channel_memory import ChannelMemory
from tilewright.hdl.engine.finish import Finish
from tilewright.hdl.engine.finish_chain import FinishChain
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.max_pool import MaxPool
from tilewright.hdl.engine.residual_add import ResidualAdd
from tilewright.hdl.engine.result_table import ResultTable
from tilewright.hdl.engine.row_sums import RowSums
from tilewright.hdl.numeric import BF16, FP8_E4M3, IntFormat, parse_format
from tilewright.hdl.stream import Watched
from tilewright.hdl.structure import Block
from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.hdl.engine.finish_path import FinishPath

ALL = ("sigmoid", "tanh", "silu", "gelu")


def _parameters(lanes: int, acc: str, result: str, **others: Any) -> FinishParameters:
    return FinishParameters(lanes, parse_format(acc), parse_format(result), **others)


PATHS = {
    "path": _parameters(4, "int32", "int8", channels=22, zero=IntFormat(8, False), sum_rows=20, sum_width=20),
    "wide": _parameters(
        3, "int40", "uint8", rounding="half_away", channels=9, zero=IntFormat(8), sum_rows=5, sum_width=12
    ),
}
LOADS = {"path": (2, 4, IntFormat(8)), "wide": (3, 1, IntFormat(4, False))}
"""Channels that are loaded at once; values of a beat of A; their format."""

INTEGERS = {
    "int8": _parameters(4, "int32", "int8"),
    "uint8": _parameters(2, "int48", "uint8"),
    "int16": _parameters(2, "int33", "int16"),
    "uint16": _parameters(1, "int24", "uint16", rounding="half_away"),
    "int2": _parameters(3, "int20", "int2", rounding="double_rounding"),
    "uint2": _parameters(1, "int9", "uint2"),
}

FLOATS = {
    "bf16": _parameters(2, "fp32", "bf16", functions=ALL),
    "bf16_sat": _parameters(1, "fp32", "bf16", overflow="saturate", functions=("silu",)),
    "fp16": _parameters(2, "fp32", "fp16", functions=("tanh", "gelu")),
    "e4m3": _parameters(3, "fp32", "fp8_e4m3"),
    "e4m3_sat": _parameters(1, "fp32", "fp8_e4m3", overflow="saturate", functions=("gelu", "sigmoid")),
    "e5m2": _parameters(2, "fp32", "fp8_e5m2", functions=("silu",)),
    "fp32": _parameters(1, "fp32", "fp32"),
    "fx48_bf16": _parameters(2, "fx48", "bf16", functions=("silu",)),
    "fx48_fp32": _parameters(1, "fx48", "fp32"),
    "fx32_e4m3": _parameters(2, "fx32", "fp8_e4m3", overflow="saturate", functions=("tanh",)),
    "fx17_e5m2": _parameters(1, "fx17", "fp8_e5m2"),
}

CHANNELS = {
    "channels": ChannelMemory(22, 4, 2),
    "channels_1": ChannelMemory(3, 3, 1),
    "channels_3": ChannelMemory(7, 3, 3),
}
SUMS = {
    "sums": RowSums(4, IntFormat(8), 20, 20),
    "sums_unsigned": RowSums(9, IntFormat(8, False), 5, 18),
    "sums_one": RowSums(1, IntFormat(4), 4, 6),
}

RESIDUALS = {
    "add_int8": ResidualAdd(4, IntFormat(8)),
    "add_uint8": ResidualAdd(2, IntFormat(8, False), "half_away"),
    "add_uint16": ResidualAdd(1, IntFormat(16, False)),
    "add_int4": ResidualAdd(3, IntFormat(4), "double_rounding"),
}
POOLS = {
    "pool_int8": MaxPool(4, IntFormat(8), 20),
    "pool_uint4": MaxPool(3, IntFormat(4, False), 1),
    "pool_bf16": MaxPool(1, BF16, 33),
    "pool_e4m3": MaxPool(2, FP8_E4M3, 8),
}

TABLES = {
    "table_int8": ResultTable(4, IntFormat(8)),
    "table_uint5": ResultTable(3, IntFormat(5, False)),
    "table_int2": ResultTable(1, IntFormat(2)),
}

CHAINS = {
    "chain": FinishChain(_parameters(4, "int32", "int8"), adds=True, pool_words=9),
    "chain_table": FinishChain(_parameters(4, "int32", "int8"), adds=True, pool_words=9, table=True),
    "chain_bf16": FinishChain(_parameters(2, "fp32", "bf16", functions=("silu",)), pool_words=6),
}


def blocks() -> dict[str, Block]:
    """All of them, by label."""
    found: dict[str, Block] = {label: FinishPath(p, *LOADS[label]) for label, p in PATHS.items()}
    found |= {label: Finish(p) for label, p in (INTEGERS | FLOATS).items()}
    found |= CHANNELS | SUMS | RESIDUALS | POOLS | TABLES | CHAINS
    return {label: Watched(block) for label, block in found.items()}


@cache
def bench() -> Bench:
    """The build."""
    return Bench("finish_bench", blocks())
