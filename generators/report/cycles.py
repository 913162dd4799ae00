"""Cycles of matrix products by dataflow: what the cycle model says, and what others would."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.config import derived
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.report.workload import Layer

DATAFLOWS = ("ws", "os", "is")
_LARGEST = 65_535  # M, N and K of a command have 16 bits


@dataclass(frozen=True)
class CycleRow:
    """One product in one dataflow.

    Attributes:
        dataflow: what stays in the array.
        core: the core's dataflow; another one than the configuration's where that cannot do this.
        folds: tiles that pass through the array.
        stream: steps of a fold, ``stream`` >= rows keeps the array busy.
        cycles: from the edge that takes the command to the edge that offers its completion; the RTL takes as many.
        utilisation: multiply-accumulates over those possible in ``cycles``, 0..1.
        bound: folds x max(stream, rows) + 2 rows + cols - 2, those of the array alone.
        scale_sim: what SCALE-Sim 3.0.0 prints; its folds follow in series, and it knows no ``vector``.
        fits: whether the scratchpads hold A, B and C.
    """

    dataflow: str
    core: str
    folds: int
    stream: int
    cycles: int
    utilisation: float
    bound: int
    scale_sim: int
    fits: bool


@dataclass(frozen=True)
class LayerCycles:
    """A layer in every dataflow; ``recommended`` is the one of the fewest cycles that the configured core can do."""

    layer: Layer
    rows: tuple[CycleRow, ...]
    recommended: str

    @property
    def best(self) -> CycleRow:
        """The recommended row."""
        return next(row for row in self.rows if row.dataflow == self.recommended)

    @property
    def cycles(self) -> int:
        """Cycles of all products of the layer in the recommended dataflow."""
        return self.best.cycles * self.layer.count


def layer_cycles(config: SystolicConfig, layer: Layer) -> LayerCycles:
    """``layer`` on the core that ``config`` describes."""
    rows = tuple(_row(config, layer, dataflow) for dataflow in DATAFLOWS)
    return LayerCycles(layer, rows, cycle_model(config).best(layer.m, layer.n, layer.k))


def scale_sim(rows: int, cols: int, layer: Layer, dataflow: str) -> int:
    """Cycles that SCALE-Sim 3.0.0 prints for one product on an array of ``rows`` x ``cols``: one less than it takes."""
    m, n, k = layer.m, layer.n, layer.k
    if dataflow == "os":
        return -(-m // rows) * -(-n // cols) * (k + rows + cols - 2) - 1
    across, stream = (n, m) if dataflow == "ws" else (m, n)
    return -(-k // rows) * -(-across // cols) * (stream + 2 * rows + cols - 2) - 1


def _row(config: SystolicConfig, layer: Layer, dataflow: str) -> CycleRow:
    core = config.dataflow if config.dataflow in ("any", dataflow) else dataflow
    model = cycle_model(config, core)
    m, n, k = layer.m, layer.n, layer.k
    outer, inner, steps = model.folds(m, n, k, dataflow)
    return CycleRow(
        dataflow=dataflow,
        core=core,
        folds=outer * inner,
        stream=steps,
        cycles=model.cycles(m, n, k, dataflow),
        utilisation=model.utilisation(m, n, k, dataflow),
        bound=outer * inner * model.fold_time(steps) + 2 * config.rows + config.cols - 2,
        scale_sim=scale_sim(config.rows, config.cols, layer, dataflow),
        fits=_fits(config, core, layer),
    )


def _fits(config: SystolicConfig, core: str, layer: Layer) -> bool:
    """Whether the scratchpads hold the product's matrices, and a command can name them."""
    m, n, groups = layer.m, layer.n, -(-layer.k // config.vector)
    if max(m, n, layer.k) > _LARGEST:
        return False
    pads = config.model_copy(update={"dataflow": core}).scratchpads
    held = ((pads.a, m, groups), (pads.b, groups, n), (pads.c, m, n))
    return all(derived.matrix_words(height, width, pad.lanes) <= pad.words for pad, height, width in held)
