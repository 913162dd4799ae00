"""What a design takes of a part, and how fast it is: from the report of nextpnr."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tilewright.fpga.flow.failed import BuildFailed

UNTIMED_MHZ = 1.0
"""What nextpnr is told to take for the frequency of clocks without a constraint: its report then has one of these."""


@dataclass(frozen=True)
class Used:
    """How many of a kind of resource a design uses, of how many there are."""

    used: int
    available: int


@dataclass(frozen=True)
class SlowestPath:
    """The slowest way between two registers.

    Attributes:
        start, end: names of its ends.
        logic_ns, routing_ns: in cells, and between them.
        cells: how many it passes, its ends not counted.
    """

    start: str
    end: str
    logic_ns: float
    routing_ns: float
    cells: int

    def __str__(self) -> str:
        total = self.logic_ns + self.routing_ns
        through = f"through {self.cells} cells" if self.cells != 1 else "through 1 cell"
        return (
            f"{total:.1f} ns from {self.start} to {self.end} {through}: "
            f"{self.logic_ns:.1f} ns in cells, {self.routing_ns:.1f} ns in wires"
        )


@dataclass(frozen=True)
class Report:
    """What a build tells.

    Attributes:
        resources: by name of the kind.
        clock_mhz: what was asked for.
        reached_mhz: what the slowest path allows.
        slowest: that path.
    """

    resources: Mapping[str, Used]
    clock_mhz: float
    reached_mhz: float
    slowest: SlowestPath


def nextpnr_report(file: Path, kinds: Mapping[str, str]) -> Report:
    """The report that nextpnr wrote with ``--report``; ``kinds`` are the resources to tell of, by nextpnr's names.

    Raises BuildFailed where there is no clock, or one without a constraint.
    """
    found = json.loads(file.read_text(encoding="utf-8"))
    clocks: dict[str, dict[str, float]] = found["fmax"]
    if not clocks:
        raise BuildFailed("the design has no clock: nothing in it is timed")
    for name, clock in clocks.items():
        if clock["constraint"] == UNTIMED_MHZ:
            raise BuildFailed(f"the clock {name} has no constraint, so nothing says how fast it must be")
    name, slowest = min(clocks.items(), key=lambda entry: entry[1]["achieved"] / entry[1]["constraint"])
    used = found["utilization"]
    resources = {title: Used(used[kind]["used"], used[kind]["available"]) for kind, title in kinds.items()}
    return Report(resources, round(slowest["constraint"], 3), round(slowest["achieved"], 2), _slowest(found, name))


def _slowest(found: dict[str, object], clock: str) -> SlowestPath:
    """The critical path within a clock domain."""
    paths: list[dict[str, object]] = found["critical_paths"]  # type: ignore[assignment]
    steps = next(path["path"] for path in paths if _within(path, clock))
    assert isinstance(steps, list)
    logic = sum(step["delay"] for step in steps if step["type"] != "routing")
    routing = sum(step["delay"] for step in steps if step["type"] == "routing")
    cells = sum(step["type"] == "logic" for step in steps)
    return SlowestPath(steps[0]["from"]["cell"], steps[-1]["to"]["cell"], round(logic, 2), round(routing, 2), cells)


def _within(path: dict[str, object], clock: str) -> bool:
    return all(str(path[end]).endswith(clock) for end in ("from", "to"))
