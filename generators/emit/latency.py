"""Latency and throughput of a design, as formulas and as numbers."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.cycles import CycleModel


@dataclass(frozen=True)
class Formula:
    """Cycles of something; ``cycles`` is what ``text`` comes to, None where that depends on the command.

    Those of ``command_*`` are from the edge that takes a command to the edge that offers its completion, on an idle
    core.
    """

    name: str
    text: str
    cycles: int | None


def formulas(config: SystolicConfig) -> list[Formula]:
    """The formulas that hold for ``config``, in clock cycles."""
    r, c, p = config.rows, config.cols, config.pipeline
    foot = Formula("array", "rows + cols + pipeline, from x to the sums at the foot of the array", r + c + p)
    if config.product == "array":
        return [foot]
    found = [foot]
    model = cycle_model(config)
    flows = ("ws", "os", "is") if config.dataflow == "any" else (config.dataflow,)
    folds = {
        "ws": ("ceil(k / (rows * vector)) * ceil(n / cols)", "m"),
        "is": ("ceil(k / (rows * vector)) * ceil(m / cols)", "n"),
        "os": ("ceil(m / rows) * ceil(n / cols)", "ceil(k / vector)"),
    }
    for flow in flows:
        count, stream = folds[flow]
        rest = model.cycles(1, 1, 1, flow) - 1
        apart = f"; folds that add to the same C start {model.read_after_write} cycles apart or more"
        found.append(
            Formula(
                f"command_{flow}",
                f"(folds - 1) * max({stream}, rows) + {stream} + {rest}, folds = {count}"
                f"{'' if flow == 'os' else apart}",
                None,
            )
        )
    found.append(
        Formula(
            "empty_command",
            "a command with m, n or k = 0, or a refused one, on an idle core",
            model.cycles(0, 1, 1, flows[0]),
        )
    )
    return found


def cycle_model(config: SystolicConfig) -> CycleModel:
    """The cycle model of the core."""
    return CycleModel(
        config.rows, config.cols, config.dataflow, config.pipeline, config.vector, seeded=config.saturates
    )
