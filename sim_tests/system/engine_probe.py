"""One known program on an engine, whole or spoilt, and what a run of it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import dataflows
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.system.engine_campaign import differences
from tilewright.sim_tests.system.engine_designs import EngineDesign
from tilewright.sim_tests.system.engine_places import Places

MEMORY_BYTES = 1 << 16
PROGRAM = 0x8000
MEMORY = AxiMemory(latency=12, jitter=3)
Program = Sequence[Instruction] | NDArray[np.uint8]
LIMIT = 100_000
"""Cycles that any run here may take."""


@dataclass(frozen=True)
class Known:
    """A product with bias in six tiles: 9 x 7 x 10 values, instructions tagged by their place in the program."""

    config: EngineConfig
    product: Product
    a: Matrix
    b: Matrix
    start: Matrix
    c: Matrix
    instructions: tuple[Instruction, ...]
    memory: NDArray[np.uint8]

    @cached_property
    def program(self) -> NDArray[np.uint8]:
        """Its bytes."""
        return encode(self.instructions).ravel()

    @cached_property
    def expected(self) -> NDArray[np.uint8]:
        """The memory after it."""
        return self.after(self.instructions)

    def after(self, instructions: Sequence[Instruction]) -> NDArray[np.uint8]:
        """The memory after another program."""
        memory = self.memory.copy()
        program = encode(instructions).ravel()
        memory[PROGRAM : PROGRAM + len(program)] = program
        ReferenceEngine(self.config, memory).run(program.reshape(-1, 64))
        return memory

    def places(self, opcode: Opcode, **fields: int) -> list[int]:
        """Where the instructions of a kind stand that have these values."""
        return [
            at
            for at, instruction in enumerate(self.instructions)
            if instruction.opcode == opcode
            and all(instruction.fields.get(name, 0) == value for name, value in fields.items())
        ]

    def with_fields(self, at: int, **fields: int) -> list[Instruction]:
        """The program with other fields in one instruction."""
        changed = list(self.instructions)
        changed[at] = changed[at]._replace(fields={**changed[at].fields, **fields})
        return changed


def known(config: EngineConfig, seed: int = 1) -> Known:
    """The known program for an engine, made anew of each ``seed``."""
    rng = np.random.default_rng(seed)
    memory = rng.integers(0, 256, MEMORY_BYTES, dtype=np.uint8)
    places = Places(memory, rng)
    m, n, k = 9, 7, 10
    views = []
    for rows, cols, fmt in ((m, k, config.a), (k, n, config.b), (1, n, config.acc), (m, n, config.acc)):
        views.append(places.filled(rows, cols, fmt))
        places.take(256)  # no beat is shared
    a, b, start, c = views
    product = Product(a, b, c, start)
    tiling = Tiling(dataflows(config)[-1], "mn", 3, 4, 4, a_stages=2, b_stages=3, c_places=2)
    program = tuple(i._replace(tag=at) for at, i in enumerate(gemm_program(product, tiling, config)))
    memory[PROGRAM : PROGRAM + 64 * len(program)] = encode(program).ravel()
    return Known(config, product, a, b, start, c, program, memory)


@dataclass(frozen=True)
class Outcome:
    """The status of the last run, and the tokens that the sequencers lacked when it failed."""

    busy: bool
    done: bool
    failed: bool
    cause: Cause
    detail: int
    tag: int
    missing: tuple[int, int, int]
    core: int = 0


class Probe:
    """A session with an engine, whose memory has the known program at ``PROGRAM``."""

    def __init__(self, design: EngineDesign, settings: AxiMemory = MEMORY, **options: Any) -> None:
        self.design, self.known = design, known(design.config)
        self.session: AxiSession = design.session(settings, memory_bytes=MEMORY_BYTES, **options)
        self.session.load(self.session.plan.base, self.known.memory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.__exit__(None, None, None)

    def write(self, name: str, value: int, **options: Any) -> int:
        """Writes a register; ``options`` are those of `AxiSession.write`."""
        return self.session.write(BY_NAME[name].offset, value, **options)

    def accepts(self, name: str, value: int) -> bool:
        """Writes a register; whether it was not refused with SLVERR."""
        try:
            self.write(name, value)
        except SimulationFailed as failure:
            if "SLVERR" not in str(failure):
                raise
            return False
        return True

    def read(self, name: str, **options: Any) -> int:
        """Reads a register."""
        return self.session.read(BY_NAME[name].offset, **options)

    def start(self, program: Program | None = None, *, count: int | None = None, watchdog: int = 0) -> None:
        """Puts a program into memory, by default the known one, and starts it; ``count``: instructions told."""
        chosen = self.known.instructions if program is None else program
        raw = chosen if isinstance(chosen, np.ndarray) else encode(chosen).ravel()
        self.session.load(PROGRAM, raw)
        self.write("interrupt_enable", 1)
        self.write("watchdog", watchdog)
        self.write("program_low", PROGRAM)
        self.write("program_high", 0)
        self.write("program_count", len(raw) // 64 if count is None else count)
        self.write("control", 1)

    def raised(self) -> bool:
        """The interrupt, two cycles from now."""
        self.session.run(2)
        return self.session.interrupt

    def finish(self) -> Outcome:
        """Waits for the interrupt and clears it."""
        self.session.wait_interrupt(LIMIT)
        self.write("interrupt", 1)
        return self.outcome()

    def run(self, program: Program | None = None, **options: Any) -> Outcome:
        """Both."""
        self.start(program, **options)
        return self.finish()

    def outcome(self) -> Outcome:
        """What the registers say."""
        status = self.read("status")
        low, middle, high = (self.read(f"{name}_missing") for name in ("load", "compute", "store"))
        busy, done, failed = (bool(status >> bit & 1) for bit in range(3))
        cause, detail, tag = (status >> bit & 0xFF for bit in (8, 16, 24))
        return Outcome(busy, done, failed, Cause(cause), detail, tag, (low, middle, high), status >> 4 & 0xF)

    def counters(self) -> dict[str, int]:
        """The engine's."""
        names = [name.removesuffix("_low") for name in BY_NAME if name.endswith("_low") and name != "program_low"]
        return {name: self.read(f"{name}_low") | self.read(f"{name}_high") << 32 for name in names}

    def on_core(self, core: int) -> list[Instruction]:
        """The known program on another core."""
        return [instruction._replace(core=core) for instruction in self.known.instructions]

    def works(self) -> None:
        """The known program runs and leaves the right bytes everywhere; fails where it does not."""
        self.session.load(self.session.plan.base, self.known.memory)
        found = self.run(watchdog=LIMIT // 2)
        if not found.done or found.failed or found.busy or found.cause != Cause.NONE:
            raise self.session.failure(f"the run after a failed one must end well, got {found}")
        self.same(self.known.expected)

    def same(self, expected: NDArray[np.uint8]) -> None:
        """All of the memory is as expected; fails where it is not."""
        difference = differences(self.session.memory, expected)
        if difference:
            raise self.session.failure(difference)

    def only_c_changed(self) -> None:
        """Nothing but results has been written; fails where something has."""
        expected = self.session.memory.copy()
        c = self.known.c
        inside = np.zeros(len(expected), dtype=np.bool_)
        for row in range(c.rows):
            first = c.address + row * c.pitch
            inside[first : first + c.cols * c.value_bytes] = True
        before = self.known.memory.copy()
        size = PROGRAM
        expected[:size] = np.where(inside, expected, before)[:size]
        self.same(expected)
