"""The canonical command of a configuration: the words that generate the same files again, on any machine."""

from __future__ import annotations

from tilewright.generators.config.systolic import SystolicConfig

_ALWAYS = ("product", "rows", "cols", "dataflow", "a", "b", "acc")  # told even where they are the default
_NEVER = ("memory_limit_bits",)  # decides whether there is output, never what it is


def canonical_command(config: SystolicConfig) -> str:
    """``tilewright systolic`` with the options, in the order of the fields, that give ``config``; no path, no date."""
    words = ["tilewright", "systolic"]
    for name, field in SystolicConfig.model_fields.items():
        value = getattr(config, name)
        if name in _ALWAYS or (value != field.default and name not in _NEVER):
            words += [option_name(name), str(value)]
    return " ".join(words)


def option_name(field: str) -> str:
    """The command-line option that sets ``field``."""
    return "--" + field.replace("_", "-")
