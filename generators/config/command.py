"""The canonical command of a configuration: the words that generate the same files again, on any machine."""

from __future__ import annotations

from tilewright.generators.config.systolic import SystolicConfig

_ALWAYS = ("product", "rows", "cols", "dataflow", "a", "b", "acc", "bus_bits", "result")  # even where the default
_NEVER = ("memory_limit_bits",)  # decides whether there is output, never what it is


def canonical_command(config: SystolicConfig) -> str:
    """``tilewright systolic`` or ``tilewright engine`` with the options, in the order of the fields, that give
    ``config``; no path, no date."""
    engine = str(config.product) == "engine"  # the name of the command says it
    words = ["tilewright", "engine" if engine else "systolic"]
    for name, field in type(config).model_fields.items():
        value = getattr(config, name)
        if (engine and name == "product") or name in _NEVER:
            continue
        if isinstance(value, bool):
            words += [option_name(name)] if value else []
        elif name in _ALWAYS or value != field.default:
            words += [option_name(name), str(value)]
    return " ".join(words)


def option_name(field: str) -> str:
    """The command-line option that sets ``field``."""
    return "--" + field.replace("_", "-")
