"""Area of a design and of its parts on a device: mapped by synthesis, not estimated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters, modules
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.report.synthesis import Job, Mapped, synthesise
from tilewright.hdl.systolic.accumulator import AccumulatorLane, StartLane
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.parameters import Dataflow


@dataclass(frozen=True)
class Resources:
    """Cells of an ECP5: four-input LUTs, carry pairs, flip-flops, 18x18 multipliers, block RAMs, 16x4 LUT RAMs."""

    lut4: int
    ccu2c: int
    ff: int
    dsp: int
    ebr: int
    dpr16x4: int

    @classmethod
    def of(cls, cells: Mapping[str, int]) -> Resources:
        """What ``cells`` (type to number) use."""
        types = ("LUT4", "CCU2C", "TRELLIS_FF", "MULT18X18D", "DP16KD", "TRELLIS_DPR16X4")
        return cls(*(cells.get(kind, 0) for kind in types))

    @property
    def lut4_eq(self) -> int:
        """LUT4 + 2 CCU2C: a carry pair takes the place of two LUTs."""
        return self.lut4 + 2 * self.ccu2c


@dataclass(frozen=True)
class Part:
    """A part of the design: how often it is there, and the resources of one.

    ``elements`` are the processing elements in it, over which "per PE" divides.
    """

    name: str
    count: int
    elements: int
    resources: Resources
    seconds: float
    remembered: bool

    @property
    def lut4_eq_per_pe(self) -> float:
        """LUT4-equivalents of all processing elements' share."""
        return self.resources.lut4_eq * self.count / self.elements


def area(config: SystolicConfig, device: str, tell: Callable[[str], None] = lambda name: None) -> list[Part]:
    """The parts of ``config``'s design on ``device``, each mapped on its own; ``tell`` hears what is done.

    - ``PE``: one processing element alone.
    - ``array``: all of them with their skew, as generated.
    - ``accumulator lane``: what a column of a core has at the foot (or, where sums start inside the array, at the top)
      of the array: the full-width add; not part of the array.
    - ``core``: the whole design with scratchpads and sequencers, where the product is a core.
    """
    pieces = _pieces(config)
    names = {top: name for name, _, _, top, _ in pieces}
    jobs = [Job(top, sources, device) for _, _, _, top, sources in pieces]
    mapped = synthesise(jobs, lambda top: tell(names[top]))
    return [
        _part(name, count, elements, found) for (name, count, elements, _, _), found in zip(pieces, mapped, strict=True)
    ]


def seconds_hint(config: SystolicConfig) -> float:
    """Seconds that ``area`` takes on one core of 2020 or later; good to a factor of three."""
    elements = config.rows * config.cols * config.vector
    bits = elements * (config.acc.width + 8 * (config.a.width + config.b.width))
    memory = config.scratchpads.bits // 20_000 if config.product == "core" else 0
    return 5 + bits / 1500 + memory / 50 + (30 if config.product == "core" else 0)


def _pieces(config: SystolicConfig) -> list[tuple[str, int, int, str, dict[str, str]]]:
    """Name, count, elements, top module and sources of each part."""
    p = core_parameters(config)
    prefix, elements = config.module_name, config.rows * config.cols
    lane = (
        StartLane(p.acc.width, can_broadcast=p.has(Dataflow.IS))
        if p.seeded
        else AccumulatorLane(p.acc.width, p.element.operands.sum_width, can_broadcast=p.has(Dataflow.IS))
    )
    array = SystolicArray(p.element, config.rows, config.cols, seeded=p.seeded)
    emitter = Emitter(prefix)
    for block in (array, lane):
        emitter.emit(block)
    parts = {module.name: module.text for module in emitter.modules()}
    whole = {module.name: module.text for module in modules(config)}
    found = [("PE", 1, 1, emitter.module_name(p.element), parts)]
    if config.product == "array":
        found.append(("array", 1, elements, prefix, whole))
    else:
        found.append(("array", 1, elements, emitter.module_name(array), parts))
    found.append(("accumulator lane", config.cols, elements, emitter.module_name(lane), parts))
    if config.product == "core":
        found.append(("core", 1, elements, prefix, whole))
    return found


def _part(name: str, count: int, elements: int, mapped: Mapped) -> Part:
    return Part(name, count, elements, Resources.of(mapped.cells), mapped.seconds, mapped.remembered)
