"""Commands whose help gives flags no value, since they take none, and that tell whether JSON is asked for."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

JSON = "tilewright.json"
"""Where a context's ``meta`` keeps whether the command was given ``--json``."""


class Command(TyperCommand):
    """A command; ``--help`` and its other flags stand alone."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, in the order of the help."""
        return _alone(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        ctx.meta[JSON] = bool(ctx.params.get("as_json"))
        return super().invoke(ctx)


class Group(TyperGroup):
    """A command that has commands; likewise."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, in the order of the help."""
        return _alone(super().get_params(ctx))


def _alone(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters
