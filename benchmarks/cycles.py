"""cycle model against RTL: command sequences on many cores, every command's cycles equal"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
from rich.console import Console

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.cycle_points import CycleSequence, cycle_sequence
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.harness.build_many import build_many
from tilewright.sim_tests.system.designs import Design

POINTS = 5_000
# Dataflow and overflow policy: rows, cols, pipeline, vector of each core.
CORES = {
    ("any", "wrap"): (
        *((4, 4, 1, 1), (2, 5, 0, 1), (5, 2, 3, 1), (8, 8, 2, 1)),
        *((1, 1, 1, 1), (1, 6, 1, 2), (6, 1, 1, 1), (3, 3, 1, 4)),
    ),
    ("any", "saturate"): ((4, 4, 1, 1), (2, 7, 1, 1), (7, 2, 1, 1)),
    ("ws", "wrap"): ((4, 4, 0, 1), (7, 3, 1, 1), (1, 4, 2, 1), (16, 16, 1, 1)),
    ("os", "wrap"): ((4, 4, 0, 1), (3, 7, 1, 1), (5, 1, 3, 1), (16, 4, 2, 1)),
    ("is", "wrap"): ((4, 4, 0, 1), (6, 3, 1, 1), (1, 1, 2, 1), (4, 16, 1, 1)),
    ("ws", "saturate"): ((3, 5, 2, 2),),
    ("os", "saturate"): ((3, 5, 2, 2),),
    ("is", "saturate"): ((3, 5, 2, 2),),
}


def design(dataflow: str, overflow: str, rows: int, cols: int, pipeline: int, vector: int) -> Design:
    """A core of which nothing but its timing matters: small operands, small scratchpads."""
    name = f"cycles_{dataflow}_{rows}x{cols}_p{pipeline}_v{vector}_{overflow}"
    arithmetic = {
        "a": "int2",
        "b": "int2",
        "acc": "int16",
        "overflow": overflow,
        "pipeline": pipeline,
        "vector": vector,
    }
    size = {"rows": rows, "cols": cols, "a_words": 512, "b_words": 512, "c_words": 256}
    return Design(name, systolic_config({"module_name": name, "dataflow": dataflow} | arithmetic | size))


def sequences(core: Design, rng: np.random.Generator) -> Iterator[CycleSequence]:
    """Sequences without end; a core of all dataflows begins with every ordered pair of them."""
    if core.config.dataflow == "any":
        for pair in product(range(3), repeat=2):
            yield cycle_sequence(core.config, rng, pair=pair)
    while True:
        yield cycle_sequence(core.config, rng)


def compare(core: Design, build: Build, points: int, seed: int) -> tuple[int, int, Counter[str]]:
    """(commands, commands that differ, traits) of at least ``points`` commands; differences are printed."""
    rng = np.random.default_rng(seed)
    commands = different = 0
    traits = Counter[str]()
    for sequence in sequences(core, rng):
        measured, predicted = sequence.measured(core.parameters, build), sequence.predicted()
        commands += len(measured)
        traits += sequence.traits()
        for index, (got, expected) in enumerate(zip(measured, predicted, strict=True)):
            if got != expected:
                different += 1
                print(f"{core.name}: command {index} of {sequence.gemms}, offered at {sequence.offers}: "
                      f"(taken, offered) expected {expected}, got {got}")  # fmt: skip
        if commands >= points:
            return commands, different, traits
    raise AssertionError("sequences have no end")


def main() -> int:
    """All cores; the seed is printed, and may be given as the only argument."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(1, 1 << 31)
    print(f"seed {seed}")
    cores = [design(*kind, *size) for kind, sizes in CORES.items() for size in sizes]
    builds = build_many([core.spec() for core in cores], console=Console(stderr=True))
    commands = different = 0
    traits = Counter[str]()
    for core, build in zip(cores, builds, strict=True):
        found = compare(core, build, -(-POINTS // len(cores)), seed)
        commands, different, traits = commands + found[0], different + found[1], traits + found[2]
    figures = [
        Figure("cores", "number", len(cores), "", least=24),
        Figure("commands", "number", commands, "", least=POINTS),
        Figure("commands whose cycles differ from the model's", "number", different, "", most=0),
    ]
    pairs = [f"{one} then {other}" for one, other in product(("ws", "os", "is"), repeat=2)]
    wanted = [*pairs, "overlapping C", "stream < R", "one fold", "waits for partial sums"]
    figures += [Figure(f"of them: {trait}", "number", traits[trait], "", least=1) for trait in wanted]
    return record("cycles", f"Cycle model against RTL, seed {seed}", figures)


if __name__ == "__main__":
    sys.exit(main())
