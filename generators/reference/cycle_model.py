"""The timing of the core that a configuration describes."""

from __future__ import annotations

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.cycles import CycleModel


def cycle_model(config: SystolicConfig, dataflow: str = "") -> CycleModel:
    """The cycle model of ``config``'s core, or of one like it of another ``dataflow``."""
    return CycleModel(
        rows=config.rows,
        cols=config.cols,
        dataflow=dataflow or config.dataflow,
        pipeline=config.pipeline,
        vector=config.vector,
        seeded=config.seeded,
        add_latency=config.add_latency,
        in_flight=config.in_flight,
    )
