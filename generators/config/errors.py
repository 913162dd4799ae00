"""What is said of a configuration that cannot be built: field, rule, value and nearest legal value, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from tilewright.generators.config.rules import Rule, nearest_name

_SHOWN = 48  # characters of a value that an error repeats


class ConfigError(ValueError):
    """A configuration, or another input of the user's, that is refused: one sentence for each thing that is wrong."""


def shown(value: object) -> str:
    """``value`` as an error message repeats it: as Python writes it, shortened."""
    try:
        text = " ".join(repr(value).split("\n"))
    except Exception:  # an integer of more digits than Python converts, a list too deep, an object of a user's
        return "a number of thousands of digits" if isinstance(value, int) else f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def must_be(field: str, rule: str, value: object, nearest: object) -> str:
    """The sentence that refuses ``value`` for ``field`` and offers ``nearest``."""
    return f"{field} must be {rule}, got {shown(value)}; nearest legal value is {nearest}"


def unknown(kind: str, name: object, names: Iterable[str]) -> str:
    """The sentence that refuses the name ``name`` of a ``kind`` and offers the nearest of ``names``."""
    return f"{kind} {shown(name)} does not exist; nearest is {shown(nearest_name(name, names))}"


def explain(error: ValidationError, model: type[BaseModel]) -> ConfigError:
    """``error``, raised while validating ``model``, in words."""
    return ConfigError("\n".join(_sentence(detail, model) for detail in error.errors(include_url=False)))


def _sentence(detail: Any, model: type[BaseModel]) -> str:
    field = ".".join(str(part) for part in detail["loc"])
    if detail["type"] in ("extra_forbidden", "invalid_key"):
        name = detail["input"] if detail["type"] == "invalid_key" else field
        return unknown("configuration field", name, model.model_fields)
    if field in model.model_fields:
        for rule in model.model_fields[field].metadata:
            if isinstance(rule, Rule):
                return must_be(field, rule.text, detail["input"], rule.nearest(detail["input"]))
    reason = detail.get("ctx", {}).get("error", detail["msg"])  # the model's own checks speak in whole sentences
    return f"{field}: {reason}" if field else str(reason)
