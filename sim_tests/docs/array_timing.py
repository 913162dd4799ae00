"""The bare array's ports, and what its generated bench drives and compares, cycle by cycle."""

from __future__ import annotations

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.interface import interface
from tilewright.generators.emit.schedule import Schedule
from tilewright.sim_tests.docs.pages import table

ROWS, COLS = 3, 4
PORTS = {"ws": ("y", "shift", "done", "x", "swap"), "os": ("x", "y", "clear", "capture", "drain")}
SHOWN = 25  # cycles, until the last sums have come


def array_ports(dataflow: str) -> str:
    """The ports of a 3 x 4 array."""
    lines = []
    for port in interface(_config(dataflow)).ports:
        width = f"{port.lanes} x {port.width // port.lanes} {port.sign}" if port.lanes > 1 else str(port.width)
        lines.append((f"`{port.name}`", port.direction, width, port.meaning))
    return table(("port", "direction", "bits", "meaning"), lines)


def array_timing(dataflow: str) -> str:
    """A line for each port: what it carries in each cycle of the generated bench."""
    schedule = Schedule(_config(dataflow))
    width = max(len(name) for name in (*PORTS[dataflow], "sums"))
    lines = [f"{'cycle':{width}} " + "".join(f"{cycle:3}" for cycle in range(SHOWN))]
    for name in PORTS[dataflow]:
        cells = []
        for cycle in range(SHOWN):
            value = schedule.inputs[cycle].get(name, int(name == "clear"))
            data = name in ("x", "y")
            cells.append(
                ("  #" if name in schedule.inputs[cycle] else "  .") if data else f"{'1' if value else '.':>3}"
            )
        lines.append(f"{name:{width}} " + "".join(cells))
    sums = "".join("  #" if cycle in schedule.sums else "  ." for cycle in range(SHOWN))
    lines.append(f"{'sums':{width}} {sums}")
    return "```text\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


def _config(dataflow: str) -> SystolicConfig:
    return systolic_config({"product": "array", "rows": ROWS, "cols": COLS, "dataflow": dataflow})
