"""The reference of parameters and presets, from the configuration model."""

from __future__ import annotations

from tilewright.generators.config.presets import presets
from tilewright.generators.config.rules import Rule
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.hdl.numeric import IntFormat, dot_bits, safe_k
from tilewright.sim_tests.docs.pages import table


def parameters() -> str:
    """Every field: its rule, default and meaning."""
    lines = []
    for name, field in SystolicConfig.model_fields.items():
        rule = next(entry for entry in field.metadata if isinstance(entry, Rule))
        default = "–" if field.default is None else f"`{field.default}`"
        lines.append((f"`{name}`", rule.text, default, field.description))
    return table(("field", "legal values", "default", "meaning"), lines)


def preset_table() -> str:
    """Every preset, with the cycles of the largest product that its scratchpads hold."""
    lines = []
    for preset in presets():
        c = preset.config
        model = cycle_model(c)
        m, n, k = c.max_m, c.max_n, c.max_k
        best = model.best(m, n, k)
        array = f"{c.rows} x {c.cols}" + (f" x {c.vector}" if c.vector > 1 else "")
        numbers = f"{c.a} x {c.b} → {c.acc}{', saturating' if c.saturates else ''}"
        cycles, used = model.cycles(m, n, k, best), model.utilisation(m, n, k, best)
        lines.append((f"`{preset.name}`", array, c.dataflow, numbers, f"{m} x {n} x {k}", f"{cycles:,}", f"{used:.1%}"))
    heads = ("preset", "array", "dataflow", "numbers", "largest M x N x K", "its cycles", "utilisation")
    return table(heads, lines, right=(5, 6))


def safe_lengths() -> str:
    """The longest safe K for common operands and accumulators."""
    accumulators = [IntFormat(width) for width in (16, 20, 24, 32, 48)]
    lines = []
    for name_a, name_b in (
        ("int4", "int4"),
        ("int8", "int8"),
        ("uint8", "int8"),
        ("uint8", "uint8"),
        ("int16", "int16"),
    ):
        a, b = IntFormat.parse(name_a), IntFormat.parse(name_b)
        cells = [f"{safe_k(a, b, acc):,}" if acc.width >= dot_bits(a, b, 1) else "–" for acc in accumulators]
        lines.append((f"{a} x {b}", dot_bits(a, b, 1), *cells))
    return table(("operands", "bits of a product", *map(str, accumulators)), lines, right=range(1, 7))
