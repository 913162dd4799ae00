"""100 random faults in elements, skew and sequencers: each is found by the gate's tests or shown to be none"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.mutant_proofs import same_behaviour, unobservable
from tilewright.sim_tests.benchmarks.mutants import Mutant, Planted, build_planted, killed_by, plant
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.cycle_points import cycle_sequence
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.system.campaign import random_program
from tilewright.sim_tests.system.designs import gate_designs

# A core of the gate whose sides are no powers of two, with vectors and operands of two widths: few dead bits.
DESIGN = "any_5x3"
FAULTS = 100
SEED = 7
PROGRAMS, COMMANDS, SEQUENCES = 8, 20, 20  # as in the gate

# Faults that change what a module does, but nothing that its core does: what they look like, and why.
ARGUED = {
    r"cnot1 cursor_\S+ rst_\$mux_S_5\.Y\[\d\] by bit 1[0-5] ": "it acts only where a row coordinate is 1024 or "
    "more: no matrix that fits these scratchpads has so many rows",
    r"const1 loader count_\S+\[(?:[4-9]|1\d)\]": "held values beyond K need no mask in sums that wrap: what streams "
    "against them is masked too, and a product with 0 is 0",
    r"(?:const1|inv) streamer begins_outer_\S+": "a fold that had to wait begins at least `rows` cycles after the one "
    "before, by when partial sums are written (`read_after_write` = `rows` here): a second wait for them is over",
    r"const1 controls delay_shift\.q\[0\]": "a chain that also shifts before its load begins is filled by the `rows` "
    "shifts of the load all the same, and `done` ends it in the same cycle",
}


def tests(planted: Planted, build: Build) -> list[tuple[str, Callable[[], object]]]:
    """The gate's kind of tests on this core: programs against the interpreter, sequences against the cycle model."""
    design = planted.design

    def cycles(seed: int) -> None:
        sequence = cycle_sequence(design.config, np.random.default_rng(seed))
        measured, predicted = sequence.measured(design.parameters, build), sequence.predicted()
        if measured != predicted:
            raise ValueError(f"expected (taken, offered) {predicted}, got {measured}")

    programs = [
        (f"program {seed}", partial(random_program, design, build, seed, COMMANDS)) for seed in range(1, PROGRAMS + 1)
    ]
    return programs + [(f"cycles {seed}", partial(cycles, seed)) for seed in range(1, SEQUENCES + 1)]


def main() -> int:
    """The seed of the faults may be given as the only argument."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    planted = plant(gate_designs()[DESIGN], FAULTS, seed)
    build = build_planted(planted)
    all_tests = tests(planted, build)
    wrong = killed_by(None, all_tests)
    if wrong:
        print(f"error: the core fails without any fault: {wrong}", file=sys.stderr)
        return 1
    print(f"{DESIGN}, {FAULTS} faults of seed {seed}")
    verdicts = {mutant: killed_by(mutant, all_tests) for mutant in planted.mutants}
    alive = [mutant for mutant, verdict in verdicts.items() if not verdict]
    nowhere = unobservable(planted, alive)
    kinds = Counter[str]()
    for mutant, verdict in verdicts.items():
        kind, reason = ("killed", verdict) if verdict else _excuse(planted, mutant, nowhere)
        kinds[kind] += 1
        print(f"{str(mutant).replace(f'{planted.top}_', '')} - {kind}{reason and ': '}{reason}", flush=True)
    of = f"{FAULTS} faults, seed {seed}"
    figures = [Figure(of, kind, kinds[kind], "") for kind in ("killed", "no path to an output", "same behaviour")]
    figures += [Figure(of, "argued", kinds["argued"], ""), Figure(of, "survived", kinds["survived"], "", most=0)]
    return record("mutants", f"Faults in elements, skew and sequencers of the core {DESIGN}", figures)


def _excuse(planted: Planted, mutant: Mutant, nowhere: set[int]) -> tuple[str, str]:
    """Why ``mutant``, which no test finds, is no fault: (kind, reason)."""
    if mutant.number in nowhere:
        return "no path to an output", ""
    proof = same_behaviour(planted, mutant)
    if proof:
        return "same behaviour", proof
    told = str(mutant).replace(f"{planted.top}_", "").partition(": ")[2]
    for pattern, reason in ARGUED.items():
        if re.match(pattern, told):
            return "argued", reason
    return "survived", ""


if __name__ == "__main__":
    sys.exit(main())
