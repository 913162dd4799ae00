"""What is said of a configuration that cannot be built: field, rule, value and nearest legal value, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError

from tilewright.generators.config.nearest import nearest_legal
from tilewright.generators.config.rules import Rule, nearest_name

_SHOWN = 48  # characters of a value that an error repeats


class ConfigError(ValueError):
    """A configuration, or another input of the user's, that is refused: one sentence for each thing that is wrong."""


class Refusal(ConfigError):
    """What refuses the value of one ``field``: ``rule`` reads on from "must", ``nearest`` mends it."""

    def __init__(self, field: str, rule: str, nearest: object) -> None:
        self.field, self.rule, self.nearest = field, rule, nearest
        super().__init__(self.sentence(nearest))

    def sentence(self, nearest: object) -> str:
        """All of it, with the value that is offered."""
        value = str(nearest).lower() if isinstance(nearest, bool) else nearest  # as TOML spells it
        return f"{self.field} must {self.rule}; nearest legal value is {value}"


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


def explain(error: ValidationError, model: type[BaseModel], values: Mapping[Any, Any]) -> ConfigError:
    """``error``, raised while validating ``model`` with ``values``, in words.

    The value that is offered for a field is legal together with all others, those offered for other fields among them,
    where there is such a value.
    """
    details = error.errors(include_url=False)
    refusals = [_refusal(detail, model) for detail in details]
    meant = {name: value for name, value in values.items() if name in model.model_fields}
    offered = {refusal.field: refusal.nearest for refusal in refusals if refusal is not None}

    def refused(**changed: Any) -> ValidationError | None:
        try:
            model.model_validate({**meant, **offered, **changed})
        except ValidationError as found:
            return found
        return None

    def legal(field: str, value: Any) -> bool:
        return refused(**{field: value}) is None

    for _ in range(len(offered) - 1):  # what is offered for several fields must fit together
        found = refused()
        further = _refusal(found.errors(include_url=False)[0], model) if found is not None else None
        if further is not None and further.field in offered:
            offered[further.field] = further.nearest
    for field, nearest in offered.items():
        rule = _rule(model, field)
        if rule is not None:
            offered[field] = nearest_legal(rule, nearest, partial(legal, field))
    return ConfigError(
        "\n".join(
            refusal.sentence(offered[refusal.field]) if refusal is not None else _unknown_or_other(detail, model)
            for detail, refusal in zip(details, refusals, strict=True)
        )
    )


def _refusal(detail: Any, model: type[BaseModel]) -> Refusal | None:
    """What refuses the value of a field, if that is what ``detail`` tells of."""
    reason = detail.get("ctx", {}).get("error")
    if isinstance(reason, Refusal):  # the model's own checks
        return reason
    field = ".".join(str(part) for part in detail["loc"])
    rule = _rule(model, field)
    if rule is None or detail["type"] in ("extra_forbidden", "invalid_key"):
        return None
    return Refusal(field, f"be {rule.text}, got {shown(detail['input'])}", rule.nearest(detail["input"]))


def _rule(model: type[BaseModel], field: str) -> Rule | None:
    rules = model.model_fields[field].metadata if field in model.model_fields else ()
    return next((rule for rule in rules if isinstance(rule, Rule)), None)


def _unknown_or_other(detail: Any, model: type[BaseModel]) -> str:
    field = ".".join(str(part) for part in detail["loc"])
    if detail["type"] in ("extra_forbidden", "invalid_key"):
        name = detail["input"] if detail["type"] == "invalid_key" else field
        return unknown("configuration field", name, model.model_fields)
    return f"{field}: {detail['msg']}" if field else str(detail["msg"])
