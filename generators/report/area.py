"""Area of a design and of its parts on a device: mapped by synthesis, not estimated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.report.parts import pieces
from tilewright.generators.report.synthesis import Job, synthesise


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

    def __sub__(self, other: Resources) -> Resources:
        return Resources(*(getattr(self, f.name) - getattr(other, f.name) for f in fields(self)))

    def __mul__(self, count: int) -> Resources:
        return Resources(*(getattr(self, f.name) * count for f in fields(self)))


@dataclass(frozen=True)
class Part:
    """A part of the design: within which other one ("": it is the whole), how often, and the resources of one.

    ``elements`` are the processing elements of the design, over which "per PE" divides.
    """

    name: str
    within: str
    count: int
    elements: int
    resources: Resources
    seconds: float
    remembered: bool

    @property
    def lut4_eq_per_pe(self) -> float:
        """LUT4-equivalents of all processing elements' share."""
        return self.resources.lut4_eq * self.count / self.elements


def area(
    config: SystolicConfig,
    device: str,
    tell: Callable[[str], None] = lambda name: None,
    only: Collection[str] | None = None,
) -> list[Part]:
    """The parts of ``config``'s design on ``device``, each mapped on its own; ``tell`` hears what is done.

    - ``core``: the whole design, where the product is a core. In it, beside the array: an ``accumulator lane`` a column
      (the full-width add at the foot of the array) or, where every step saturates and sums start inside the array, a
      ``start multiplexer``; scratchpads, two regions of C, command decoder and table, sequencers, and the ports.
    - ``array``: all processing elements with their skew, as generated; the whole where that is the product.
    - ``PE``: one processing element alone.
    - ``rest of core`` and ``rest of array``: what those have beyond the sum of their parts, delays, masks and
      skew for example; below zero where mapping the parts together saves more than that.

    With ``only`` no other parts than those of these names are mapped, and there are no rests.
    """
    found = pieces(config)
    wanted = [piece for piece in found.parts if only is None or piece.name in only]
    names = {piece.top: piece.name for piece in wanted}
    jobs = [Job(piece.top, found.sources, device) for piece in wanted]
    mapped = synthesise(jobs, lambda top: tell(names[top]))
    elements = config.rows * config.cols
    parts = [
        Part(piece.name, piece.within, piece.count, elements, Resources.of(one.cells), one.seconds, one.remembered)
        for piece, one in zip(wanted, mapped, strict=True)
    ]
    return parts if only is not None else _with_rests(parts)


def _with_rests(parts: list[Part]) -> list[Part]:
    """``parts``, and behind the last one within a part what that has beyond the sum of them."""
    found = list(parts)
    for whole in parts:
        inside = [part for part in parts if part.within == whole.name]
        if inside:
            left = whole.resources
            for part in inside:
                left = left - part.resources * part.count
            known = all(part.remembered for part in (whole, *inside))
            rest = Part(f"rest of {whole.name}", whole.name, whole.count, whole.elements, left, 0.0, known)
            found.insert(found.index(inside[-1]) + 1, rest)
    return found


def seconds_hint(config: SystolicConfig) -> float:
    """Seconds that ``area`` takes on one core of 2020 or later; good to a factor of three."""
    elements = config.rows * config.cols * config.vector
    bits = elements * (config.acc.width + 8 * (config.a.width + config.b.width))
    memory = config.scratchpads.bits // 20_000 if config.product == "core" else 0
    return 5 + bits / 1500 + memory / 50 + (30 if config.product == "core" else 0)
