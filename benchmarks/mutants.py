"""100 random faults in elements, skew and sequencers: each is found by the gate's tests or shown to be none"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.four_states import FourStates
from tilewright.sim_tests.benchmarks.mutant_proofs import same_behaviour, unobservable
from tilewright.sim_tests.benchmarks.mutants import Mutant, Planted, build_planted, killed_by, plant
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.cycle_points import cycle_sequence
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.campaign import random_program
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.longest import check_longest, longest_products
from tilewright.sim_tests.verify.tests import TESTS, Test

# A core of the gate whose sides are no powers of two, with vectors and operands of two widths: few dead bits.
DESIGN = "any_5x3"
FAULTS = 100
SEED = 7
PROGRAMS, COMMANDS, SEQUENCES = 8, 20, 20  # as in the gate


def tests(planted: Planted, build: Build) -> list[tuple[str, Callable[[], object]]]:
    """The gate's kind of tests on this core: programs against the interpreter, sequences against the cycle model,
    products as long as the scratchpads allow, and what `tilewright verify` runs."""
    design = planted.design

    def cycles(seed: int) -> None:
        sequence = cycle_sequence(design.config, np.random.default_rng(seed))
        measured, predicted = sequence.measured(design.parameters, build), sequence.predicted()
        if measured != predicted:
            raise ValueError(f"expected (taken, offered) {predicted}, got {measured}")

    programs = [
        (f"program {seed}", partial(random_program, design, build, seed, COMMANDS)) for seed in range(1, PROGRAMS + 1)
    ]
    sequences = [(f"cycles {seed}", partial(cycles, seed)) for seed in range(1, SEQUENCES + 1)]
    longest = [(str(command), partial(check_longest, design, build, command)) for command in longest_products(design)]
    verified = [(test.name, partial(_run, test, planted, build)) for test in TESTS.values()]
    return programs + sequences + longest + verified


def _run(test: Test, planted: Planted, build: Build) -> None:
    test.run(Bench(planted.design, build, test.name, 1))


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
    with FourStates(planted) as bench:
        if bench.finds(None):
            print(f"error: the Verilog bench fails without any fault: {bench.finds(None)}", file=sys.stderr)
            return 1
        verdicts |= {mutant: bench.finds(mutant) for mutant, verdict in verdicts.items() if not verdict}
    alive = [mutant for mutant, verdict in verdicts.items() if not verdict]
    nowhere = unobservable(planted, alive)
    kinds = Counter[str]()
    for mutant, verdict in verdicts.items():
        kind, reason = ("killed", verdict) if verdict else _excuse(planted, mutant, nowhere)
        kinds[kind] += 1
        print(f"{str(mutant).replace(f'{planted.top}_', '')} - {kind}{reason and ': '}{reason}", flush=True)
    of = f"{FAULTS} faults, seed {seed}"
    figures = [Figure(of, kind, kinds[kind], "") for kind in ("killed", "no path to an output", "same behaviour")]
    figures.append(Figure(of, "survived", kinds["survived"], "", most=0))
    return record("mutants", f"Faults in elements, skew and sequencers of the core {DESIGN}", figures)


def _excuse(planted: Planted, mutant: Mutant, nowhere: set[int]) -> tuple[str, str]:
    """Why ``mutant``, which no test finds, is no fault: (kind, reason)."""
    if mutant.number in nowhere:
        return "no path to an output", ""
    proof = same_behaviour(planted, mutant)
    if proof:
        return "same behaviour", proof
    return "survived", ""


if __name__ == "__main__":
    sys.exit(main())
