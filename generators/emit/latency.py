"""Latency and throughput of a design, as formulas and as numbers."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.cycle_model import cycle_model


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
    h = config.add_latency
    down = ("rows", r) if h == 1 else (f"rows * {h}", r * h)
    if config.dataflow == "os" and h > 1:
        down = f"rows + {h - 1}", r + h - 1
    foot = Formula(
        "array", f"{down[0]} + cols + pipeline, from x to the sums at the foot of the array", down[1] + c + p
    )
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
        if flow == "os" and h > 1:
            spacing = r + (1 - r) % h
            turns = f"i div {h} * {h} * max({stream}, {spacing}) + i mod {h} * {spacing}"
            text = f"{turns} + {h} * ({stream} - 1) + {rest + 1}"
            found.append(Formula("command_os", f"{text}, i = {count} - 1", None))
            continue
        apart = f"; more where folds that add to the same C would start less than {model.read_after_write} cycles apart"
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
