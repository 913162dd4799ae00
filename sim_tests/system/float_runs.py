"""Products on simulated cores, cut into commands along M, N and K."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.records import Start, Transfer
from tilewright.sim_tests.drivers.core_result import Operation
from tilewright.sim_tests.drivers.core_session import CoreSession, LoadPort
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.system.designs import Design
from tilewright.sim_tests.system.float_cases import Case, Cuts, pieces

Codes = NDArray[np.int64]
BEGINS = {"zero": Start.ZERO, "bias": Start.BIAS, "accumulate": Start.ACCUMULATE}


@dataclass(frozen=True)
class Tiling:
    """Where another command begins along M and N; along K a `Case` says it itself."""

    m: Cuts = ()
    n: Cuts = ()


def run_cases(
    design: Design,
    build: Build,
    cases: Sequence[Case],
    dataflow: int,
    *,
    tilings: Sequence[Tiling] = (),
    point: int = 0,
    seed: int = 1,
) -> list[Codes]:
    """C of each case, M x N. Loads of a case wait for the commands of the one before, and its commands for its loads.

    Raises SimulationFailed where an operation is not answered with OK.
    """
    session = CoreSession(design.parameters, np.random.default_rng(seed))
    programs = []
    last: Sequence[Operation] = ()
    for index, case in enumerate(cases):
        program = _Program(design, session, case, tilings[index] if tilings else Tiling(), index % 2)
        last = program.perform(dataflow, point, last)
        programs.append(program)
    result = session.run(build, seed=seed)
    for operation in result.operations:
        status, _ = result.answer(operation)
        if status:
            raise result.run.failure(f"{operation}: expected status 0, got {status}")
    matrices = iter(result.matrices)
    return [program.assembled([next(matrices) for _ in program.blocks]) for program in programs]


def fits(design: Design, case: Case) -> bool:
    """Whether the scratchpads of ``design`` hold ``case``, cut along K alone."""
    program = _Program(design, CoreSession(design.parameters), case, Tiling(), 0)
    program.perform(0, 0, ())
    pads = design.config.scratchpads
    return all(program.used[side] <= getattr(pads, side).words for side in ("a", "b", "c"))


class _Program:
    """One case in a session; matrices lie one behind the other from word 0 on."""

    def __init__(self, design: Design, session: CoreSession, case: Case, tiling: Tiling, region: int) -> None:
        self.case, self.session, self.region = case, session, region
        self.rules = ReferenceCore(design.config)
        m, n, k = case.shape
        self.rows, self.cols, self.steps = pieces(m, tiling.m), pieces(n, tiling.n), pieces(k, case.cuts)
        self.blocks = [(down, across) for down in self.rows for across in self.cols]
        self.used: dict[Port, int] = {"a": 0, "b": 0, "c": 0}

    def perform(self, dataflow: int, point: int, after: Sequence[Operation]) -> list[Operation]:
        """Adds its loads, commands and read-outs; returns what a next case waits for."""
        case, session = self.case, self.session
        loads: list[Operation] = []

        def place(port: Port, matrix: Codes, *, load: bool = True) -> int:
            base = self.used[port]
            transfer = Transfer(base, *matrix.shape)
            self.used[port] = self.rules.transfer_span(port, transfer).high
            if load:
                name: LoadPort = {"a": "load_a", "b": "load_b", "c": "load_c"}[port]  # type: ignore[assignment]
                region = self.region if port == "c" else 0
                loads.append(session.load(name, matrix, base, region=region, after=after))
            return base

        a = {(m, k): place("a", case.a[slice(*m), slice(*k)]) for m in self.rows for k in self.steps}
        b = {(k, n): place("b", case.b[slice(*k), slice(*n)]) for k in self.steps for n in self.cols}
        whole = np.broadcast_to(case.start, (case.shape[0], case.shape[1]))
        old = case.kind == "accumulate"
        c = {(m, n): place("c", whole[slice(*m), slice(*n)], load=old) for m, n in self.blocks}
        biased = self.cols if case.kind == "bias" else []
        bias = {n: place("c", case.start[:, slice(*n)]) for n in biased}
        done = []
        for m, n in self.blocks:
            for index, k in enumerate(self.steps):
                done.append(
                    session.command(
                        m[1] - m[0], n[1] - n[0], k[1] - k[0], dataflow,
                        a=a[m, k], b=b[k, n], c=c[m, n], bias=0 if index else bias.get(n, 0), region=self.region,
                        start=Start.ACCUMULATE if index else BEGINS[case.kind], point=point, after=loads,
                    )
                )  # fmt: skip
        reads = [
            session.read(m[1] - m[0], n[1] - n[0], c[m, n], region=self.region, after=done) for m, n in self.blocks
        ]
        return [*done, *reads]

    def assembled(self, matrices: Sequence[Codes]) -> Codes:
        """C from its blocks."""
        found = np.zeros(self.case.shape[:2], dtype=np.int64)
        for (m, n), matrix in zip(self.blocks, matrices, strict=True):
            found[slice(*m), slice(*n)] = matrix
        return found
