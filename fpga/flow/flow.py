"""How designs for a family of FPGAs are built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tilewright.fpga.boards.board import Board
from tilewright.fpga.flow.report import Report
from tilewright.fpga.flow.step import Step
from tilewright.fpga.flow.tool import Tool


class Flow(Protocol):
    """How designs for a family of FPGAs are built.

    All files lie in one folder: those of the design, those of ``files``, and what the steps make.
    """

    @property
    def tools(self) -> Sequence[Tool]:
        """Beside Yosys."""
        ...

    @property
    def final(self) -> str:
        """The end of the name of the file that a board takes."""
        ...

    def files(self, board: Board, top: str) -> dict[str, str]:
        """Constraints and scripts, by name."""
        ...

    def steps(self, board: Board, top: str, seed: int) -> list[Step]:
        """What makes ``<top><final>`` of the Verilog files in the folder."""
        ...

    def report(self, board: Board, top: str, folder: Path) -> Report:
        """What the design takes of the part, and how fast it is. Raises BuildFailed where its clock is not timed."""
        ...
