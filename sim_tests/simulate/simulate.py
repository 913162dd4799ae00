"""The product of two matrices on the RTL of a core."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from numpy.typing import ArrayLike, NDArray
from rich.console import Console

from tilewright.generators.config.errors import ConfigError, must_be, shown
from tilewright.generators.config.resolve import Config, resolve
from tilewright.generators.config.rules import Choice, Whole
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.numbers import from_codes
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.cycles import CycleModel
from tilewright.generators.reference.records import Dataflow, Start, Status
from tilewright.generators.report.movement import Movement, movement
from tilewright.generators.report.workload import Layer
from tilewright.hdl.numeric import FxFormat
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.sim_tests.drivers.core_result import CoreResult, Operation
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.harness.build_many import build_many
from tilewright.sim_tests.harness.stall import Stall
from tilewright.sim_tests.simulate.operands import Matrix, Operands, operands
from tilewright.sim_tests.simulate.stalls import checked_stall, stalls_by_port
from tilewright.sim_tests.system.designs import Design

_SEED = Whole(1, (1 << 31) - 1)
_POINT = Whole(-LARGEST_POINT, LARGEST_POINT)


@dataclass(frozen=True)
class Simulation:
    """What a simulated core did.

    Attributes:
        c: M x N, int64, or float64 where operands are floats: what was read out of the core, windows rounded to fp32.
            With K = 0 the core answers that there is nothing to do, and this is what C starts from.
        codes: the same as the core's own bits: of windows the integer and, above it, the flags invalid, overflow,
            underflow.
        flags: of windows how many results are ``invalid``, have an ``overflow`` (and may be wrong) or ``underflow``,
            as the completion tells; empty for other accumulators.
        dataflow: ``ws``, ``os`` or ``is``: the one that the command asked for.
        cycles: from the edge that takes the command to the edge that offers its completion, as measured.
        predicted_cycles: the same by the cycle model.
        utilisation: multiply-accumulates of the product over those that the array could have done in ``cycles``, 0..1.
        run_cycles: of the whole run: loads, command, read-out.
        movement: what the command moves between scratchpads and elements, by the model; None where a size is 0.
        config: the core.
    """

    c: NDArray[Any]
    codes: Matrix
    flags: dict[str, int]
    dataflow: str
    cycles: int
    predicted_cycles: int
    utilisation: float
    run_cycles: int
    movement: Movement | None
    config: SystolicConfig


def simulate(
    config: Config | None,
    a: ArrayLike,
    b: ArrayLike,
    *,
    dataflow: str | None = None,
    bias: ArrayLike | None = None,
    c: ArrayLike | None = None,
    point: int | None = None,
    seed: int = 1,
    stall: Stall | float | None = None,
    **fields: Any,
) -> Simulation:
    """C = start + ``a`` @ ``b`` on the RTL of a core, in one command: loads, command and read-out.

    The simulator of a core is built on its first use and found in the cache afterwards. Accumulators do what the
    configuration says where sums leave their range: they wrap or saturate.

    Args:
        config: a `SystolicConfig`, the name of a preset, or a mapping of fields; None: the defaults. A core, no array.
        a: M x K integers of the configuration's format ``a``; of a float format real numbers, which are rounded to the
            nearest that it has. Any M, N, K that the scratchpads hold, 0 included.
        b: K x N numbers of format ``b``, likewise.
        dataflow: of a core that can do any: ``ws``, ``os``, ``is``, or None or ``auto`` for the one of fewest cycles.
        bias: N values (or 1 x N) of format ``acc`` that every row of C starts from.
        c: M x N values of format ``acc`` that C starts from. By default it starts from zero.
        point: binary point of accumulators ``fx<N>``: their bit 0 weighs ``2**-point``; -512..512, by default N // 2.
        seed: 1..2^31-1, of initial register values, stalls and noise.
        stall: probability with which a stream pauses in a cycle, or a `Stall`; probabilities up to 0.9999, pauses up
            to 50,000 cycles. Changes cycles of the run, not C.
        fields: fields of the configuration, over those of ``config``; the formats ``a`` and ``b`` only in that.

    Raises:
        ConfigError (a ValueError): a field, a shape, a value or a size that is refused; nothing was simulated.
        TypeError: a matrix that does not hold numbers of its format; it is a ConfigError, too.
        ToolMissing: no simulator or compiler is installed.
        SimulationFailed: the RTL broke a rule of its streams or did not end.
    """
    settings = resolve(config, fields)
    if settings.product != "core":
        raise ConfigError("product must be core in a simulation, got 'array'; nearest legal value is core")
    number = _SEED.take(seed)
    if number is None:
        raise ConfigError(must_be("seed", _SEED.text, seed, _SEED.nearest(seed)))
    pauses = checked_stall(stall)
    place = _point(settings, point)
    given = operands(settings, a, b, bias, c, place)
    model = cycle_model(settings)
    chosen = _dataflow(settings, model, dataflow, given)
    return _run(_design(settings), model, given, chosen, place, number, pauses)


@lru_cache(maxsize=8)
def _design(config: SystolicConfig) -> Design:
    """Kept, because writing its Verilog takes seconds."""
    return Design(config.module_name, config)


def _build(design: Design) -> Build:
    """The simulator; on a terminal a bar shows how it is made, elsewhere nothing is printed."""
    if not sys.stderr.isatty():
        return design.build()
    with Console(stderr=True).status(f"generating {design.name}"):
        spec = design.spec()
    return build_many([spec], names=[design.name])[0]


def _point(config: SystolicConfig, wanted: int | None) -> int:
    """The binary point; 0 where accumulators are no windows."""
    if not isinstance(config.acc, FxFormat):
        if wanted is not None:
            raise ConfigError(
                f"point must be left out for accumulators {config.acc}, got {shown(wanted)}; only fx<N> have one"
            )
        return 0
    number = config.acc.width // 2 if wanted is None else _POINT.take(wanted)
    if number is None:
        raise ConfigError(must_be("point", _POINT.text, wanted, _POINT.nearest(wanted)))
    return number


def _dataflow(config: SystolicConfig, model: CycleModel, wanted: str | None, given: Operands) -> str:
    able = ("ws", "os", "is") if config.dataflow == "any" else (config.dataflow,)
    if wanted is None or (isinstance(wanted, str) and wanted == "auto"):
        return model.best(*given.shape)
    if not isinstance(wanted, str) or wanted not in able:
        rule = Choice((*able, "auto"))
        raise ConfigError(must_be("dataflow", f"{rule.text} on this core", wanted, rule.nearest(wanted)))
    return wanted


def _run(
    design: Design, model: CycleModel, given: Operands, dataflow: str, point: int, seed: int, stall: Stall
) -> Simulation:
    m, n, k = given.shape
    config, session = design.config, CoreSession(design.parameters)
    bias_base = m * -(-n // design.parameters.c_memory.lanes)
    loads: list[Operation] = []
    start = Start.ZERO
    if given.a.size:
        loads.append(session.load("load_a", given.a))
    if given.b.size:
        loads.append(session.load("load_b", given.b))
    for first, base, kind in ((given.bias, bias_base, Start.BIAS), (given.c, 0, Start.ACCUMULATE)):
        if first is not None:
            start = kind
            if first.size:
                loads.append(session.load("load_c", first, base))
    command = session.command(
        m, n, k, Dataflow[dataflow.upper()], bias=bias_base, start=start, point=point, after=loads
    )
    computed = 0 not in (m, n, k)
    read = session.read(m, n, after=[command]) if computed else None
    build = _build(design)
    result = session.run(build, seed=seed, stall=stalls_by_port(stall, build.interface.streams))
    for operation, status in [
        *((load, Status.OK) for load in loads),
        (command, Status.OK if computed else Status.EMPTY),
        *([(read, Status.OK)] if read else []),
    ]:
        _expect(result, operation, status)
    cycles = result.offered(command) - result.taken(command)
    codes = result.matrices[0] if computed else _start_of(given)
    return Simulation(
        c=from_codes(codes, config.acc, point),
        codes=codes,
        flags=result.counts(command),
        dataflow=dataflow,
        cycles=cycles,
        predicted_cycles=model.cycles(m, n, k, dataflow),
        utilisation=m * n * k / (cycles * config.rows * config.cols * config.vector),
        run_cycles=result.result.cycles,
        movement=movement(config, Layer("product", m, n, k), dataflow, sums_given=start != Start.ZERO)
        if computed
        else None,
        config=config,
    )


def _expect(result: CoreResult, operation: Operation, status: Status) -> None:
    answer = Status(result.answer(operation)[0])
    if answer != status:
        raise result.run.failure(f"{operation.stream} must be answered with {status.name}, got {answer.name}")


def _start_of(given: Operands) -> Matrix:
    """What C starts from, which is what it is where nothing is added."""
    if given.c is not None:
        return given.c.copy()
    c = given.a[:, :0] @ given.b[:0, :]
    return c if given.bias is None else c + given.bias
