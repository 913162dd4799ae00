"""Models of cells of devices, for simulators: synthesis tools know the cells."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from tilewright.generators.emit.module import VerilogModule

MODELS = "simulation/"
"""Where they are in an output folder: apart, so that no synthesis tool takes them with the design."""
_FOLDER = resources.files("tilewright.generators.emit.cells")


def model(cell: str) -> str:
    """Verilog of a cell that does in simulation what the cell does."""
    return (_FOLDER / f"{cell}.v").read_text(encoding="utf-8")


def models(modules: Iterable[VerilogModule], folder: str = "") -> dict[str, str]:
    """File name to text of the models that a design of ``modules`` needs in a simulation; often none."""
    return {f"{folder}{cell}.v": model(cell) for cell in sorted({module.cell for module in modules if module.cell})}
