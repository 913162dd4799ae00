"""Random command sequences with which the cycle model and a core are held against each other, command by command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.core import DATAFLOWS, ReferenceCore
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.cycles import Gemm
from tilewright.generators.reference.records import Command, Dataflow, Start, Status
from tilewright.hdl.numeric import FxFormat
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.sim_tests.drivers.core_result import CoreResult
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness.build import Build


@dataclass(frozen=True)
class CycleSequence:
    """Legal commands, what the cycle model needs of each, and the cycle in which each is offered at the earliest."""

    config: SystolicConfig
    commands: tuple[Command, ...]
    gemms: tuple[Gemm, ...]
    offers: tuple[int, ...]

    def predicted(self) -> list[tuple[int, int]]:
        """(taken, offered) of every command, by the model."""
        timings = cycle_model(self.config).run(self.gemms, self.offers)
        return [(timing.taken, timing.offered) for timing in timings]

    def measured(self, parameters: CoreParameters, build: Build, *, seed: int = 1) -> list[tuple[int, int]]:
        """(taken, offered) of every command, on RTL; SimulationFailed where one is not answered with OK."""
        session = CoreSession(parameters)
        issued = []
        for c, offer in zip(self.commands, self.offers, strict=True):
            session.not_before(offer)
            issued.append(
                session.command(
                    c.m, c.n, c.k, c.dataflow, a=c.a_base, b=c.b_base, c=c.c_base, bias=c.bias_base,
                    region=c.region, start=c.start, point=c.point,
                )
            )  # fmt: skip
        result: CoreResult = session.run(build, seed=seed)
        for command, operation in zip(self.commands, issued, strict=True):
            status = result.answer(operation)[0]
            if status != Status.OK:
                raise result.run.failure(f"{command} must end with OK, got {Status(status).name}")
        return [(result.taken(operation), result.offered(operation)) for operation in issued]

    def traits(self) -> Counter[str]:
        """What its commands exercise: ordered pairs of dataflows, overlaps, short streams, single folds, waits on C."""
        model, found = cycle_model(self.config), Counter[str]()
        for index, gemm in enumerate(self.gemms):
            outer, inner, steps = model.folds(gemm.m, gemm.n, gemm.k, gemm.dataflow)
            if index:
                found[f"{self.gemms[index - 1].dataflow} then {gemm.dataflow}"] += 1
            found["overlapping C"] += bool(gemm.after)
            found["stream < R"] += steps < self.config.rows
            found["one fold"] += outer * inner == 1
            waits = gemm.dataflow != "os" and outer > 1
            found["waits for partial sums"] += waits and inner * model.fold_time(steps) < model.read_after_write
        return found


def cycle_sequence(
    config: SystolicConfig, rng: np.random.Generator, *, length: int | None = None, pair: Sequence[int] = ()
) -> CycleSequence:
    """A random sequence of ``length`` (1..6 if not given) commands, whose first dataflows are those of ``pair``.

    Extents lie around multiples of rows and cols, below them, or are primes; half of the commands touch the C of an
    earlier one, as C or as bias; commands come at once or with gaps. The operand memories need not be loaded.
    """
    core = ReferenceCore(config)
    commands: list[Command] = []
    for index in range(length or max(len(pair), int(rng.integers(1, 7)))):
        dataflow = pair[index] if index < len(pair) else int(rng.choice(DATAFLOWS[config.dataflow]))
        commands.append(_command(core, rng, dataflow, commands))
    return CycleSequence(config, tuple(commands), gemms_of(core, commands), _offers(rng, len(commands)))


def gemms_of(core: ReferenceCore, commands: Sequence[Command]) -> tuple[Gemm, ...]:
    """What the cycle model needs of ``commands``: each waits for the earlier ones whose C its own words overlap."""
    spans = [core.command_spans(command) for command in commands]
    found = []
    for index, command in enumerate(commands):
        own = [spans[index][name] for name in ("c", "bias") if name in spans[index]]
        after = tuple(
            earlier
            for earlier in range(index)
            if commands[earlier].region == command.region and any(span.overlaps(spans[earlier]["c"]) for span in own)
        )
        found.append(
            Gemm(command.m, command.n, command.k, Dataflow(command.dataflow).name.lower(), after, command.point)
        )
    return tuple(found)


def _command(core: ReferenceCore, rng: np.random.Generator, dataflow: int, earlier: Sequence[Command]) -> Command:
    """A legal command; shapes shrink until one fits."""
    largest = 4 * max(core.config.rows, core.config.cols) + 8
    while True:
        m, n, k = (_extent(core.config, rng, largest, along_k=axis == 2) for axis in range(3))
        start = int(rng.choice((Start.ZERO, Start.BIAS, Start.ACCUMULATE)))
        words = core.config.scratchpads.c.words
        c_base, bias_base, region = int(rng.integers(words)), int(rng.integers(words)), int(rng.integers(2))
        if earlier and rng.random() < 0.5:
            touched = earlier[int(rng.integers(len(earlier)))]
            region = touched.region
            if start == Start.BIAS and rng.random() < 0.5:
                bias_base = touched.c_base
            else:
                c_base = touched.c_base
        point = int(rng.choice((20, 20, 20, 7))) if isinstance(core.config.acc, FxFormat) else 0
        command = Command(m, n, k, dataflow, start, c_base=c_base, bias_base=bias_base, region=region, point=point)
        if core.command_status(command) == Status.OK:
            return command
        largest = max(1, largest * 15 // 16)


def _extent(config: SystolicConfig, rng: np.random.Generator, largest: int, *, along_k: bool) -> int:
    unit = int(rng.choice((config.rows, config.cols))) * (config.vector if along_k else 1)
    kind = rng.integers(4)
    if kind == 0:
        extent = int(rng.integers(1, unit + 1))
    elif kind == 1:
        extent = int(rng.integers(1, 4)) * unit + int(rng.integers(-1, 2))
    elif kind == 2:
        extent = int(rng.choice((1, 2, 3, 5, 7, 13, 19, 29)))
    else:
        extent = int(rng.integers(1, largest + 1))
    return min(max(extent, 1), largest)


def _offers(rng: np.random.Generator, count: int) -> tuple[int, ...]:
    """All at once, or with gaps in which the core falls idle at any moment."""
    if rng.random() < 0.6:
        return (0,) * count
    return tuple(int(cycle) for cycle in np.cumsum(rng.integers(0, 60, count)))
