"""The cores that the system tests simulate: a named few for the gate, any number of random ones for long runs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tilewright.generators.config.arithmetic import FLOAT_OPERANDS
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.cells import models
from tilewright.generators.emit.elaborate import core_parameters, modules
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.sim_tests.drivers.collisions import with_collisions
from tilewright.sim_tests.drivers.core_ports import core_streams
from tilewright.sim_tests.drivers.watch import watched
from tilewright.sim_tests.harness import Build, BuildSpec, make
from tilewright.sim_tests.harness.not_inlined import rows_apart
from tilewright.sim_tests.harness.ports import make_interface
from tilewright.sim_tests.system.pairwise import Row, pairwise

FACTORS = {
    "dataflow": ("ws", "os", "is", "any"),
    "overflow": ("wrap", "saturate"),
    "pipeline": ("0", "1", "2", "3"),
    "vector": ("1", "2", "4", "8", "16"),
    "signs": ("int int", "int uint", "uint int", "uint uint"),
    "widths": ("narrow", "byte", "wide", "mixed"),
    "shape": ("square", "wide", "tall", "one row", "one column"),
    "accumulator": ("tight", "roomy", "widest"),
    "in flight": ("few", "many"),
}


@dataclass(frozen=True)
class Design:
    """A core to simulate; equal configurations share a build."""

    name: str
    config: SystolicConfig

    @cached_property
    def parameters(self) -> CoreParameters:
        """What the hardware is made from."""
        return core_parameters(self.config)

    @cached_property
    def sources(self) -> dict[str, str]:
        """Its Verilog."""
        written = modules(self.config)
        return {f"{module.name}.v": module.text for module in written} | models(written)

    def build(self, *, cocotb: bool = False) -> Build:
        """A simulator of it."""
        return make(self.spec(cocotb=cocotb))

    def spec(self, *, cocotb: bool = False) -> BuildSpec:
        """What the simulator is made from; its scratchpads make collisions of reads and writes seen."""
        sources = with_collisions(self.sources)
        top = self.config.module_name
        streams = core_streams(self.parameters)
        vlt = rows_apart(top, self.sources.values())
        if cocotb:
            return BuildSpec(sources, make_interface(top, streams), vlt, cocotb=True)
        return BuildSpec(*watched(sources, top, streams), vlt)


def _design(name: str, **fields: Any) -> Design:
    """``name`` begins with dataflow and size: ``ws_3x5``."""
    dataflow, size, *_ = name.split("_")
    rows, cols = (int(number) for number in size.split("x"))
    words = {"a_words": 160, "b_words": 160, "c_words": 128}
    floats = str(fields.get("a")) in FLOAT_OPERANDS
    overflow = {} if floats else {"overflow": "wrap"}
    defaults = {"module_name": f"core_{name}", "dataflow": dataflow, "rows": rows, "cols": cols, **overflow}
    return Design(name, systolic_config(defaults | words | fields))


@lru_cache(maxsize=1)
def gate_designs() -> dict[str, Design]:
    """The cores of the gate, by name. Every choice of every factor occurs among those of integers."""
    deep = {"a_words": 512, "b_words": 512, "c_words": 256}
    designs = (
        _design("any_2x2", pipeline=0, **deep),
        _design("any_4x4", **deep, target="ice40"),
        _design("any_8x8", pipeline=2, **deep),
        _design("any_16x16"),
        _design("ws_3x5", a="uint8", b="int6", acc="int20", pipeline=0, vector=2),
        _design("ws_1x7", a="int8", b="uint7", acc="int64", c_words=97, in_flight=1, target="ice40"),
        _design("ws_6x4_saturate", acc="int17", overflow="saturate", vector=2, in_flight=1),
        _design("os_8x3", pipeline=3, vector=4, c_words=200, target="ecp5"),
        _design("os_7x2", a="int2", b="int2", acc="int8", pipeline=2, vector=16, in_flight=2),
        _design("os_5x1_saturate", a="int4", b="uint4", acc="int12", overflow="saturate", pipeline=0, vector=8),
        _design("os_2x3", a="int16", b="int16"),
        _design("os_2x3_saturate", a="int16", b="int16", overflow="saturate"),
        _design("is_12x5", a="uint8", b="int6", acc="int16", pipeline=2, c_words=61, target="ecp5"),
        _design("is_1x1", a="uint16", b="uint16", acc="int40", pipeline=3, vector=16),
        _design("is_4x6_saturate", a="int5", b="int7", acc="int16", overflow="saturate", vector=4),
        _design("any_3x7_saturate", a="int8", b="uint4", acc="int14", overflow="saturate", pipeline=3, vector=2),
        _design("any_5x3", a="int4", b="uint12", acc="int33", pipeline=1, vector=4, target="ecp5"),
        _design("any_3x4_bf16", a="bf16"),
        _design("os_4x3_fp16", a="fp16", add_latency=3, vector=2),
        _design("ws_5x2_fp8", a="fp8_e4m3", b="fp8_e5m2", add_latency=2, vector=4),
        _design("any_2x3_fx48", a="bf16", acc="fx48", vector=2),
    )
    return {design.name: design for design in designs}


def random_designs(seed: int, count: int) -> list[Design]:
    """``count`` or more distinct cores in which every pair of choices of two `FACTORS` occurs."""
    rng = random.Random(seed)
    rows = pairwise(FACTORS, rng, count)
    return [_random_design(f"random_{index}", row, rng) for index, row in enumerate(rows)]


def _random_design(name: str, row: Row, rng: random.Random) -> Design:
    a_sign, b_sign = row["signs"].split()
    a_width, b_width = _widths(row["widths"], rng)
    a, b = IntFormat(a_width, a_sign == "int"), IntFormat(b_width, b_sign == "int")
    vector = int(row["vector"])
    tight = max(8, dot_bits(a, b, vector))
    acc = {"tight": tight, "roomy": rng.randint(tight + 1, 63), "widest": 64}[row["accumulator"]]
    rows, cols = _size(row["shape"], 9 if vector < 8 else 5, rng)
    words = {f"{memory}_words": rng.randint(90, 300) for memory in "abc"}
    fields = {
        "module_name": f"core_{name}",
        "rows": rows,
        "cols": cols,
        "dataflow": row["dataflow"],
        "a": str(a),
        "b": str(b),
        "acc": f"int{acc}",
        "overflow": row["overflow"],
        "pipeline": int(row["pipeline"]),
        "vector": vector,
        "in_flight": 4 if row["in flight"] == "many" else 1 if row["dataflow"] == "ws" else 2,
    }
    return Design(name, systolic_config(fields | words))


def _widths(kind: str, rng: random.Random) -> tuple[int, int]:
    narrow, wide = (rng.randint(2, 4), rng.randint(2, 4)), (rng.randint(9, 16), rng.randint(9, 16))
    mixed = (rng.randint(2, 5), rng.randint(10, 16))
    return {"narrow": narrow, "byte": (8, 8), "wide": wide, "mixed": rng.choice((mixed, mixed[::-1]))}[kind]


def _size(shape: str, largest: int, rng: random.Random) -> tuple[int, int]:
    low, high = sorted(rng.sample(range(2, largest + 1), 2))
    return {
        "square": (low, low),
        "wide": (low, high),
        "tall": (high, low),
        "one row": (1, rng.randint(1, largest)),
        "one column": (rng.randint(2, largest), 1),
    }[shape]
