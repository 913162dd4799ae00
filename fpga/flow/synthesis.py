"""Synthesis by Yosys, and whether what it made fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.step import Step
from tilewright.generators.emit.yosys import Yosys, YosysFailed
from tilewright.generators.report.synthesis import counted_cells


def synthesis(
    mapping: Sequence[str], top: str, capacity: Mapping[str, int], then: Callable[[Path], None] = lambda folder: None
) -> Step:
    """Maps the Verilog files in the folder by commands of Yosys, the last of which writes ``top.json``.

    ``then`` is done to the folder afterwards.

    Raises BuildFailed where Yosys fails, or the cells of a type are more than the part has: ``capacity``, by type.
    """

    def do(folder: Path) -> float:
        sources = " ".join(sorted(path.name for path in folder.glob("*.v")))
        heard = [f"tee -q -a yosys.log {command}" for command in mapping]
        try:
            with Yosys(folder) as yosys:
                yosys.run((f"read_verilog {sources}", *heard, f"tee -q -o {top}.stat.json stat -json"))
                seconds = yosys.seconds
        except YosysFailed as error:
            raise BuildFailed(str(error)) from None
        check_fits(counted_cells(folder / f"{top}.stat.json"), capacity)
        then(folder)
        return seconds

    return Step("synthesis", tuple(mapping), do)


def check_fits(used: Mapping[str, int], capacity: Mapping[str, int]) -> None:
    """Raises BuildFailed, which says by how much, where a kind is ``used`` more often than there are."""
    beyond = [
        f"{used[kind]:,} {kind}, {used[kind] - most:,} more than the {most:,} that there are"
        for kind, most in capacity.items()
        if used.get(kind, 0) > most
    ]
    if beyond:
        raise BuildFailed(f"the design does not fit: it takes {' and '.join(beyond)}")
