"""Where the cycles of a run went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from io import StringIO
from typing import TYPE_CHECKING, Any

from tilewright.fpga.host.product_runner import Run
from tilewright.fpga.host.timeline import timeline
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.layout import INSTRUCTION_BYTES
from tilewright.generators.program.plan import LATENCY, entries
from tilewright.generators.reference.engine_many import ManyCycles
from tilewright.generators.reference.engine_queue import Moment
from tilewright.generators.reference.engine_run import PROGRAM_END

if TYPE_CHECKING:
    from rich.table import Table

_WIDTH = 100  # characters of a printed line
SEQUENCERS = ("load", "compute", "store")


@dataclass(frozen=True)
class Sequencer:
    """Cycles of a sequencer; the four add up to those of the run. The compute sequencer does not wait for the bus.

    Those of several cores are sums, and add up to the cycles of the run times cores.
    """

    busy: int
    wait_token: int
    wait_bus: int
    idle: int


@dataclass(frozen=True)
class Moved:
    """Bytes that crossed the port in whole beats: data read and written, instructions fetched."""

    read: int
    written: int
    fetched: int


@dataclass(frozen=True)
class Profile:
    """The counters of a run beside what the model says. Printed with rich it is a table.

    Attributes:
        config: the engine; run: what it ran.
        sequencers: by name, ``load``, ``compute``, ``store``, of all cores together; cores: the same of each core.
        moved, predicted_moved: bytes, as counted and as planned.
        cycles, predicted_cycles: from start to interrupt; the model's memory is 80 cycles away.
        active: share of cycles in which a wavefront entered the array, 0..1, the mean of all cores.
        utilisation: ``M N K / (R C V cycles cores)`` of all products, 0..1.
    """

    config: EngineConfig
    run: Run
    sequencers: dict[str, Sequencer]
    cores: tuple[dict[str, Sequencer], ...]
    moved: Moved
    predicted_moved: Moved
    cycles: int
    active: float
    utilisation: float

    @cached_property
    def moments(self) -> list[Moment]:
        """When the instructions begin and end by the model of events."""
        return ManyCycles(self.config, LATENCY).run(entries(list(self.run.program)))

    @property
    def predicted_cycles(self) -> int:
        """See the class."""
        return max(moment.ends for moment in self.moments) + PROGRAM_END

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers by name, as JSON has them."""
        several = [{name: asdict(each) for name, each in own.items()} for own in self.cores]
        return {
            "cycles": self.cycles,
            "predicted_cycles": self.predicted_cycles,
            "macs": self.run.macs,
            "utilisation": self.utilisation,
            "array_active": self.active,
            "sequencers": {name: asdict(each) for name, each in self.sequencers.items()},
            "bytes": asdict(self.moved),
            "predicted_bytes": asdict(self.predicted_moved),
        } | ({"cores": several} if len(several) > 1 else {})

    def table(self) -> Table:
        """The same for people."""
        from rich.table import Table

        several = len(self.cores) > 1
        told = Table(title=f"{self.cycles:,} cycles" + f", those of {len(self.cores)} cores summed below" * several)
        for heading in ("", "measured", "share", "predicted"):
            told.add_column(heading, justify="right" if heading else "left")
        told.add_row("cycles", f"{self.cycles:,}", "", f"{self.predicted_cycles:,}")
        told.add_row("array active, edges too", "", f"{self.active:.1%}", "")
        told.add_row("utilisation, MACs alone", "", f"{self.utilisation:.1%}", "", end_section=True)
        for name, each in self.sequencers.items():
            kinds = asdict(each)
            if name == "compute":
                del kinds["wait_bus"]
            for kind, count in kinds.items():
                share = f"{count / (self.cycles * len(self.cores)):.1%}"
                last = kind == "idle"
                told.add_row(f"{name} {kind.replace('_', ' ')}", f"{count:,}", share, "", end_section=last)
        for core, own in enumerate(self.cores if len(self.cores) > 1 else ()):
            busy, last = own["compute"].busy, core == len(self.cores) - 1
            told.add_row(f"core {core} compute busy", f"{busy:,}", f"{busy / self.cycles:.1%}", "", end_section=last)
        for kind, count in asdict(self.moved).items():
            told.add_row(f"bytes {kind}", f"{count:,}", "", f"{asdict(self.predicted_moved)[kind]:,}")
        return told

    def __rich__(self) -> Table:
        return self.table()

    def __str__(self) -> str:
        from rich.console import Console

        text = StringIO()
        Console(file=text, width=_WIDTH, color_system=None).print(self.table())
        return text.getvalue()

    def svg(self, width: int = 960) -> str:
        """A picture of the run as the model of events sees it (see `timeline`), ``width`` pixels wide."""
        return timeline(self.run.program, self.moments, self.predicted_cycles, width)


def profile_of(config: EngineConfig, run: Run) -> Profile:
    """The profile of ``run`` on the engine ``config``."""
    counts, cycles, beat = run.counts, run.counts["cycles"], config.bus_bits // 8
    traffic = [plan.traffic for plan in run.plans]
    loads = [part.beats for t in traffic for part in (t.a, t.b, t.start, t.channels, t.added, t.table)]
    read = sum(loads) * beat
    fetched = len(run.program) * INSTRUCTION_BYTES
    return Profile(
        config,
        run,
        _sequencers(counts.values, cycles * config.cores),
        tuple(_sequencers(own, cycles) for own in counts.cores),
        Moved(counts["read_beats"] * beat, counts["write_beats"] * beat, counts["fetch_beats"] * beat),
        Moved(read, sum(t.c.beats for t in traffic) * beat, fetched),
        cycles,
        counts["array_active"] / (cycles * config.cores),
        run.macs / (config.rows * config.cols * config.vector * cycles * config.cores),
    )


def _sequencers(counts: Mapping[str, int], cycles: int) -> dict[str, Sequencer]:
    """What the sequencers did in so many cycles."""
    found = {}
    for name in SEQUENCERS:
        busy, token = counts[f"{name}_busy"], counts[f"{name}_wait_token"]
        bus = 0 if name == "compute" else counts[f"{name}_wait_bus"]
        found[name] = Sequencer(busy, token, bus, cycles - busy - token - bus)
    return found
