"""Runs random programs on an engine and compares all of its memory with what the interpreter makes of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.fpga.host.engine_link import EngineLink
from tilewright.fpga.host.run_failed import RunFailed
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.engine_machine import EngineError
from tilewright.sim_tests.harness import SimulationFailed, ledger
from tilewright.sim_tests.simulate.engine_transport import SimulatedEngine, transport
from tilewright.sim_tests.system.engine_core_programs import CoreAuthor
from tilewright.sim_tests.system.engine_designs import EngineDesign
from tilewright.sim_tests.system.engine_memory import random_memory
from tilewright.sim_tests.system.engine_places import Full
from tilewright.sim_tests.system.engine_programs import Author, Job

MEMORY_BYTES = 1 << 18
WATCHDOG = 200_000
TRIES = 10
ORDERS = range(1)  # seeds of the interpreter's sequencers that a program is checked with for races


@dataclass
class Tally:
    """What has been judged: engines, programs, matrix products, results and bytes of memory compared; cycles of RTL."""

    engines: int = 0
    programs: int = 0
    products: int = 0
    results: int = 0
    memory_bytes: int = 0
    cycles: int = 0

    def add(self, other: Tally) -> None:
        """Sums up."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def run_engine(design: EngineDesign, seed: int, products: int) -> Tally:
    """Programs on one engine until they have made ``products``; everything random comes from ``seed``.

    A memory of noise is the same in the simulation and for the interpreter, programs go on from what those before have
    left. Raises SimulationFailed at the first difference.
    """
    rng = np.random.default_rng(seed)
    tally = Tally(engines=1)
    try:
        with design.session(memory_bytes=MEMORY_BYTES, seed=seed % (2**31 - 1) + 1) as session:
            bench = transport(session, design.config, random_memory(rng))
            session.load(0, rng.integers(0, 256, MEMORY_BYTES, dtype=np.uint8))
            link = EngineLink(bench, design.config, watchdog=WATCHDOG)
            while tally.products < products:
                tally.add(one_program(design, bench, link, rng))
            tally.cycles = session.cycle
    except SimulationFailed as failure:
        failure.add_note(f"{design}, seed {seed}, after {tally}")
        raise
    count(tally)
    return tally


def count(tally: Tally) -> None:
    """Adds to what the session's summary prints."""
    ledger.count(
        engines_run=tally.engines,
        engine_programs=tally.programs,
        engine_products=tally.products,
        engine_results_compared=tally.results,
        engine_memory_bytes_compared=tally.memory_bytes,
    )


def one_program(design: EngineDesign, bench: SimulatedEngine, link: EngineLink, rng: np.random.Generator) -> Tally:
    """Writes a program and its operands, runs it in a memory that behaves in a new way, and compares."""
    author = Author if design.config.cores == 1 else CoreAuthor
    for _ in range(TRIES):
        memory = bench.session.memory.copy()
        with suppress(Full):  # operands and program are longer than memory: others are drawn
            job = author(design, rng, memory).job()
            break
    else:
        raise Full
    bench.configure(random_memory(rng))
    return run_job(design, bench, link, job, memory)


def run_job(
    design: EngineDesign, bench: SimulatedEngine, link: EngineLink, job: Job, memory: NDArray[np.uint8]
) -> Tally:
    """Puts ``memory`` into the simulation's, runs ``job`` there and in the interpreter, and compares every byte."""
    session, expected = bench.session, memory.copy()
    session.load(0, memory)
    expected[job.address : job.address + len(job.program)] = job.program
    try:
        ReferenceEngine(design.config, expected).check(job.program.reshape(-1, 64), ORDERS)
        link.run(job.address, job.program)
    except (EngineError, RunFailed) as failure:
        raise session.failure(f"{failure}, in {job}") from None
    difference = differences(session.memory, expected)
    if difference:
        raise session.failure(f"{difference}, in {job}")
    return Tally(0, 1, job.commands, job.values, len(expected))


def differences(found: NDArray[np.uint8], expected: NDArray[np.uint8]) -> str:
    """The first bytes that differ; "" where none does."""
    wrong = np.flatnonzero(found != expected)
    if not len(wrong):
        return ""
    first = int(wrong[0])
    return (
        f"{len(wrong)} bytes of memory are wrong, the first at 0x{first:x} to the last at 0x{int(wrong[-1]):x}: "
        f"expected 0x{int(expected[first]):02x}, got 0x{int(found[first]):02x}"
    )
