"""The engines that the system tests simulate: those of the gate, any number of random ones for long runs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tilewright.generators.config.arithmetic import FLOAT_OPERANDS
from tilewright.generators.config.engine import FUNCTIONS, LARGEST_TABLE_BITS, EngineConfig, engine_config
from tilewright.hdl.numeric import IntFormat, dot_bits, parse_format
from tilewright.sim_tests.drivers.engine_build import engine_build
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.system.pairwise import Row, pairwise

FACTORS = {
    "dataflow": ("ws", "os", "is", "any"),
    "numbers": ("byte", "narrow", "wide", "unsigned", "saturate", "bf16", "fp16", "fp8", "fx48"),
    "bus_bits": ("32", "64", "128", "256", "512"),
    "max_burst": ("1", "3", "8", "16", "32", "256"),
    "outstanding": ("2", "4", "16", "32"),
    "vector": ("1", "2", "4"),
    "memories": ("small", "odd", "large"),
    "finish": ("plain", "rich"),
    "address_bits": ("20", "32", "40", "64"),
}


@dataclass(frozen=True)
class EngineDesign:
    """An engine to simulate; equal configurations share a build."""

    name: str
    config: EngineConfig

    @cached_property
    def build(self) -> Build:
        """A simulator of it, kept: its Verilog alone takes seconds to make."""
        return engine_build(self.config)

    def session(self, settings: AxiMemory | None = None, **options: Any) -> AxiSession:
        """A session with it; ``options`` are those of `AxiSession`."""
        return AxiSession(self.build, settings=settings, **options)

    def __str__(self) -> str:
        return f"engine {self.name}: {self.config!r}"


def _design(name: str, **fields: Any) -> EngineDesign:
    return EngineDesign(name, engine_config({"module_name": f"engine_{name}", **fields}))


@lru_cache(maxsize=1)
def gate_engines() -> dict[str, EngineDesign]:
    """The engines of the gate, by name. Each is a simulator to build, and the gate's time is counted in those."""
    designs = (
        _design(
            "ws_4x4", rows=4, cols=4, channels=32, row_sums=96, adds=True, pool_words=32, table=True,
            transposer=16, a_words=96, b_words=96, c_words=64,
        ),
        _design(
            "any_3x5", rows=3, cols=5, dataflow="any", vector=2, bus_bits=64, max_burst=6, outstanding=2,
            result="uint8", transposer=19, a_words=70, b_words=80, c_words=50,
        ),
        _design(
            "os_2x3_bf16", rows=2, cols=3, dataflow="os", a="bf16", gelu=True, bus_bits=32, max_burst=16,
            outstanding=4, a_words=60, b_words=60, c_words=40,
        ),
        _design(
            "is_5x3_saturate", rows=5, cols=3, dataflow="is", a="int4", b="uint12", acc="int20", overflow="saturate",
            result="int10", bus_bits=512, max_burst=32, address_bits=64, a_words=90, b_words=50, c_words=48,
        ),
    )  # fmt: skip
    return {design.name: design for design in designs}


@lru_cache(maxsize=1)
def core_engine() -> EngineDesign:
    """The gate's engine of several cores: of the numbers, and with all that results can have, of its ``ws_4x4``."""
    return _design(
        "cores_2x3", cores=3, rows=2, cols=3, bus_bits=64, max_burst=8, outstanding=4, channels=32, row_sums=96,
        adds=True, pool_words=32, a_words=64, b_words=64, c_words=48,
    )  # fmt: skip


def random_engines(seed: int, count: int) -> list[EngineDesign]:
    """``count`` distinct engines; of any ``count`` above some 60 every pair of choices of two `FACTORS` occurs."""
    rng = random.Random(seed)
    rows = pairwise(FACTORS, rng, count)[:count]
    return [_random_design(f"random_{index}", row, rng) for index, row in enumerate(rows)]


def _random_design(name: str, row: Row, rng: random.Random) -> EngineDesign:
    vector = int(row["vector"])
    numbers, floats = _numbers(row["numbers"], vector, row["finish"] == "rich", rng)
    low, high = {"small": (12, 40), "odd": (41, 99), "large": (128, 400)}[row["memories"]]
    words: dict[str, Any] = {f"{memory}_words": rng.randint(low, high) for memory in "abc"}
    words["transposer"] = rng.choice((0, 0, vector, 13, 64)) // vector * vector
    if row["finish"] == "rich":
        words["pool_words"] = rng.choice((0, 1, 5, 32))
    if row["finish"] == "rich" and not floats:
        words |= {"channels": rng.choice((0, 1, 7, 16, 33)), "row_sums": rng.choice((0, 2, 11, 64))}
        words["adds"] = rng.random() < 0.7
        words["table"] = parse_format(numbers["result"]).width <= LARGEST_TABLE_BITS
    words["cores"] = rng.choice((1, 1, 1, 2, 3, 5))
    largest = 3 if floats or words["cores"] > 1 else 6
    return _design(
        name,
        rows=rng.randint(1, largest),
        cols=rng.randint(1, largest),
        dataflow=row["dataflow"],
        vector=vector,
        pipeline=rng.randint(0, 3),
        **{key: int(row[key]) for key in ("bus_bits", "max_burst", "outstanding", "address_bits")},
        **numbers,
        **words,
    )


def _numbers(kind: str, vector: int, rich: bool, rng: random.Random) -> tuple[dict[str, Any], bool]:
    """Formats of operands, accumulators and results; whether they are floats."""
    if kind in ("bf16", "fp16", "fp8", "fx48"):
        fp8 = ("fp8_e4m3", "fp8_e5m2")
        a = {"bf16": "bf16", "fp16": "fp16", "fp8": rng.choice(fp8), "fx48": rng.choice(("bf16", *fp8))}[kind]
        chosen: dict[str, Any] = {"a": a, "b": rng.choice(fp8) if kind == "fp8" else a}
        chosen["result"] = rng.choice((*FLOAT_OPERANDS, "fp32"))
        if kind == "fx48":
            chosen["acc"] = "fx48"
        return chosen | ({rng.choice(FUNCTIONS): True} if rich else {}), True
    width_a, width_b, signed_a, signed_b = {
        "byte": (8, 8, True, True),
        "narrow": (rng.randint(2, 4), rng.randint(2, 4), True, rng.random() < 0.5),
        "wide": (rng.randint(9, 16), rng.randint(9, 16), rng.random() < 0.5, True),
        "unsigned": (rng.randint(5, 8), rng.randint(7, 12), False, False),
        "saturate": (rng.randint(4, 8), rng.randint(4, 12), True, rng.random() < 0.5),
    }[kind]
    a_format, b_format = IntFormat(width_a, signed_a), IntFormat(width_b, signed_b)
    least = max(8, dot_bits(a_format, b_format, vector))
    acc = least if kind == "saturate" else rng.choice((least, min(64, max(least, 32)), 64))
    result = IntFormat(rng.choice((2, 7, 8, 9, 16)), rng.random() < 0.6)
    overflow = "saturate" if kind == "saturate" else "wrap"
    formats = {"a": str(a_format), "b": str(b_format), "acc": f"int{acc}", "result": str(result)}
    return {**formats, "overflow": overflow}, False
