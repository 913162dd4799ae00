"""Synthesis by Yosys, and whether what it made fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.step import Step
from tilewright.generators.emit.yosys import Yosys, YosysFailed
from tilewright.generators.report.synthesis import counted_cells


def synthesis(
    command: str, top: str, capacity: Mapping[str, int], then: Callable[[Path], None] = lambda folder: None
) -> Step:
    """Maps the Verilog files in the folder to ``top.json`` by a ``command`` of Yosys.

    ``then`` is done to the folder afterwards.

    Raises BuildFailed where Yosys fails, or the cells of a type are more than the part has: ``capacity``, by type.
    """

    def do(folder: Path) -> float:
        sources = " ".join(sorted(path.name for path in folder.glob("*.v")))
        mapping = f"tee -q -o yosys.log {command} -top {top} -json {top}.json"
        try:
            with Yosys(folder) as yosys:
                yosys.run((f"read_verilog {sources}", mapping, f"tee -q -o {top}.stat.json stat -json"))
                seconds = yosys.seconds
        except YosysFailed as error:
            raise BuildFailed(str(error)) from None
        _check_fits(counted_cells(folder / f"{top}.stat.json"), capacity)
        then(folder)
        return seconds

    return Step("synthesis", (command,), do)


def _check_fits(used: Mapping[str, int], capacity: Mapping[str, int]) -> None:
    beyond = [
        f"{used[kind]:,} {kind}, {used[kind] - most:,} more than the {most:,} that there are"
        for kind, most in capacity.items()
        if used.get(kind, 0) > most
    ]
    if beyond:
        raise BuildFailed(f"the design does not fit: it takes {' and '.join(beyond)}")
