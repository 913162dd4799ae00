"""Products of matrices in an engine's memory, planned, put together into a program, and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilewright.fpga.host.checked import whole
from tilewright.fpga.host.containers import from_bytes, to_bytes
from tilewright.fpga.host.core_jobs import CoreJobs, Dealt, Table
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.engine_link import Counts, EngineLink
from tilewright.fpga.host.finishing import Ending
from tilewright.fpga.host.memory_map import ALIGNMENT, MemoryMap, NoRoom
from tilewright.fpga.host.run_progress import on_a_terminal, run_progress
from tilewright.fpga.host.transport import Transport
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError, shown
from tilewright.generators.program.channel_table import channel_words
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.joined import Part, joined
from tilewright.generators.program.plan import Objective, Plan, forced_plan, make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import View
from tilewright.generators.program.tiling import Tiling, objections
from tilewright.generators.program.turning import for_engine
from tilewright.hdl.numeric import Format

if TYPE_CHECKING:
    from tilewright.fpga.host.program import Program

WATCHDOG = 1_000_000
"""Cycles in which nothing moves after which a run is given up."""


@dataclass(frozen=True)
class Run:
    """What a run of a program has come to.

    Attributes:
        counts: the engine's counters.
        plans: how each product, or of several cores each piece of one, was tiled, with the bytes and cycles that were
            predicted.
        macs: multiply-accumulates of all products.
        program: the instructions.
    """

    counts: Counts
    plans: tuple[Plan, ...]
    macs: int
    program: tuple[Instruction, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Job:
    """A product with the ending of its results and the place where they go."""

    product: Product
    end: Ending
    result: DeviceArray
    tiling: Tiling | Objective = "cycles"
    after_stores: bool = False

    @property
    def reads(self) -> set[int]:
        """Addresses of the matrices that it reads."""
        views = [self.product.a, self.product.b, self.product.start]
        finish = self.product.finish
        if finish is not None and finish.added is not None:
            views.append(finish.added.view)
        return {view.address for view in views if view is not None}


class ProductRunner:
    """The engine that ``config`` describes, its memory, and its last run.

    ``timed``: cycles matter, so that plans are worth some time; ``watchdog``: of the engine.

    Attributes:
        config: the engine.
        last: the last `Run` that has ended well; None before the first and after one that has failed.
        progress: whether runs show on standard error how far they are; by default where that is a terminal.
    """

    def __init__(
        self, transport: Transport, config: EngineConfig, *, watchdog: int = WATCHDOG, timed: bool = True
    ) -> None:
        if not isinstance(config, EngineConfig):
            raise ConfigError(f"config must be an EngineConfig, got {shown(config)}; nearest is EngineConfig()")
        cycles = whole("watchdog", watchdog, 0, (1 << 32) - 1)
        if transport.memory_base + transport.memory_bytes > 1 << config.address_bits:
            raise ConfigError(
                f"memory must lie below 2**{config.address_bits}, which the engine's addresses reach "
                f"(field address_bits), got {transport.memory_bytes} bytes from 0x{transport.memory_base:x} on"
            )
        self.config, self.transport, self._timed = config, transport, timed
        self.progress = on_a_terminal()
        self.link = EngineLink(transport, config, watchdog=cycles)
        self.last: Run | None = None
        self.memory = MemoryMap(transport.memory_base, transport.memory_bytes)
        self._plans: dict[Any, Plan] = {}
        self._cores = CoreJobs(config, _alike, self.memory.take)
        self._kept: dict[int, DeviceArray] = {}  # what `put` has given, which no other accelerator knows
        self._open = True
        self._program: Program | None = None  # the last one, which may be open

    def close(self) -> None:
        """Ends the simulation, or lets go of the board; again does nothing."""
        if self._open:
            self._open = False
            self.transport.close()

    def begin(self) -> None:
        """A new call: what the last one has put into memory is forgotten, but while a program is put together.

        Raises ConfigError after `close`.
        """
        self.must_be_open()
        if self._program is not None:
            if self._program.is_open:
                return
            self._program.settle()
            self._program = None
        self.memory.begin()

    def must_be_open(self) -> None:
        """Raises ConfigError after `close`."""
        if not self._open:
            raise ConfigError("the accelerator must be open, and it was closed; make another one")

    def temporary(self, name: str, codes: NDArray[np.int64], fmt: Format) -> DeviceArray:
        """A matrix in memory until the next call."""
        data = to_bytes(codes, fmt)
        address = self.memory.take(name, len(data))
        if len(data):
            self.transport.write_memory(address, data)
        return DeviceArray(address, (codes.shape[0], codes.shape[1]), fmt)

    def fetch(self, array: DeviceArray) -> NDArray[np.int64]:
        """The codes of a matrix in memory."""
        if array.base is not None:
            return self.fetch(array.base).T
        if not array.size:
            return np.zeros(array.shape, dtype=np.int64)
        data = self.transport.read_memory(array.address, array.size)
        return from_bytes(data, array.format).reshape(array.shape)

    def job(
        self,
        a: View,
        b: View,
        end: Ending,
        *,
        start: DeviceArray | None = None,
        accumulate: bool = False,
        point: int = 0,
        after_stores: bool = False,
        transpose: bool = False,
        tiling: Tiling | Objective = "cycles",
    ) -> Job:
        """A product, and a place for its result, which lies column by column with ``transpose``."""
        finish = end.finish
        if finish is not None and finish.channels is not None:
            # As large as the table can get: each tile of columns begins a word.
            lanes = self.config.scratchpads.c.lanes
            finish = replace(finish, channels=self.memory.take("the channels", 8 * b.cols * lanes))
        if finish is not None and end.entries is not None:
            finish = replace(finish, table=self.temporary("the table", end.entries[None, :], end.format).address)
        shape = (a.rows // 4 if finish is not None and finish.pool_width else a.rows, b.cols)
        lies = (shape[1], shape[0]) if transpose else shape
        result = DeviceArray(0, lies, end.format)
        result = DeviceArray(self.memory.take("the result", result.size), lies, end.format)
        result = result.T if transpose else result
        view = None if start is None else start.view
        left, right = for_engine(a, "a", self.config), for_engine(b, "b", self.config)
        product = Product(left, right, result.view, start=view, accumulate=accumulate, finish=finish, point=point)
        return Job(product, end, result, tiling, after_stores)

    def plan(self, jobs: Sequence[Job]) -> int:
        """Bytes of instructions that ``jobs`` will take, about. Raises ConfigError where they cannot run."""
        try:
            for job in jobs:
                self._check(job)
            many = self.config.cores > 1
            plans = self._cores.plans(jobs) if many else [self._plan(job.product, job.tiling) for job in jobs]
        except ValueError as error:
            raise ConfigError(str(error)) from None
        return sum(plan.traffic.program_bytes for plan in plans)

    def run_jobs(self, jobs: Sequence[Job]) -> Run:
        """Runs all ``jobs`` as one program. Raises ConfigError, RunFailed."""
        self.plan(jobs)
        with self.memory.passing():
            try:
                dealt = self._one_core(jobs) if self.config.cores == 1 else self._cores.deal(jobs)
                data = encode(dealt.program).ravel()
            except NoRoom:
                raise
            except ValueError as error:  # a size that no field of an instruction has room for
                raise ConfigError(str(error)) from None
            address = self.memory.take("the program", len(data))
            for place, table in dealt.tables:
                self.transport.write_memory(place, table)
            self.last = None
            expected = sum(plan.cycles for plan in dealt.plans) // self.config.cores
            with run_progress(self.transport, expected, shown=self.progress):
                counts = self.link.run(address, data)
        macs = sum(job.product.m * job.product.n * job.product.k for job in jobs)
        self.last = Run(counts, dealt.plans, macs, tuple(dealt.program))
        return self.last

    def _one_core(self, jobs: Sequence[Job]) -> Dealt:
        """The jobs one after the other."""
        plans = [self._plan(job.product, job.tiling) for job in jobs]
        parts = [
            Part(gemm_program(job.product, plan.tiling, self.config), job.after_stores)
            for job, plan in zip(jobs, plans, strict=True)
        ]
        tables = [table for job, plan in zip(jobs, plans, strict=True) for table in self._channels(job, plan.tiling)]
        return Dealt(joined(parts), tuple(plans), tuple(tables))

    def _check(self, job: Job) -> None:
        """Raises ConfigError for a forced tiling that does not fit."""
        if isinstance(job.tiling, Tiling):
            wrong = objections(job.tiling, job.product, self.config)
            if wrong:
                raise ConfigError(f"tiling must fit: {'; '.join(wrong)}")

    def _plan(self, product: Product, tiling: Tiling | Objective) -> Plan:
        key = (_alike(product), tiling)
        if key not in self._plans:
            if isinstance(tiling, Tiling):
                self._plans[key] = forced_plan(product, tiling, self.config)
            else:
                self._plans[key] = make_plan(product, self.config, objective=tiling, quick=not self._timed)
        return self._plans[key]

    def _channels(self, job: Job, tiling: Tiling) -> list[Table]:
        finish, factors = job.product.finish, job.end.factors
        if finish is None or finish.channels is None or factors is None:
            return []
        words = channel_words(job.product, tiling, self.config)
        return [(finish.channels, words.table(*factors))]


def _alike(product: Product) -> Any:
    """What two products have in common that are planned alike."""
    places: list[Any] = [product.a, product.b, product.c]
    views = [replace(view, address=view.address % ALIGNMENT) for view in places]
    f = product.finish
    special = f is not None and (
        f.channels is not None,
        f.b_zero != 0,
        f.added is not None,
        f.pool_width,
        f.table is not None,
    )
    return (*views, product.has_bias, product.accumulate, f is None, special)
