"""Random cores of floats for long runs: formats, accumulators, shapes and latencies that go together."""

from __future__ import annotations

import itertools
import random
from typing import Any

from tilewright.generators.config.arithmetic import FLOAT_OPERANDS
from tilewright.generators.config.systolic import systolic_config
from tilewright.sim_tests.system.designs import Design

LARGEST = 40  # products a cycle
WINDOWS = (23, 60)  # bits: a product of any two operands fits, in the format that holds both


def random_float_designs(seed: int, count: int) -> list[Design]:
    """``count`` distinct pairs of operands and dataflows, 64 at most; a third of the cores has windows."""
    rng = random.Random(seed)
    choices = list(itertools.product(("ws", "os", "is", "any"), FLOAT_OPERANDS, FLOAT_OPERANDS))
    return [_design(f"float_{index}", *choice, rng) for index, choice in enumerate(rng.sample(choices, count))]


def _design(name: str, dataflow: str, a: str, b: str, rng: random.Random) -> Design:
    sizes = itertools.product((1, 2, 3, 5), (1, 2, 3, 4), (1, 2, 4, 8))
    rows, cols, vector = rng.choice([size for size in sizes if size[0] * size[1] * size[2] <= LARGEST])
    arithmetic: dict[str, Any] = {"a": a, "b": b, "vector": vector, "pipeline": rng.randint(0, 3)}
    if rng.random() < 1 / 3:
        arithmetic["acc"] = f"fx{rng.randint(*WINDOWS)}"
    elif dataflow != "any":
        arithmetic["add_latency"] = rng.randint(1, 6)
    size = {"rows": rows, "cols": cols} | {f"{memory}_words": rng.randint(90, 300) for memory in "abc"}
    return Design(name, systolic_config({"module_name": f"core_{name}", "dataflow": dataflow} | arithmetic | size))
