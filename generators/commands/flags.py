"""Commands whose help gives flags no value: they take none."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command; ``--help`` and its other flags stand alone."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, in the order of the help."""
        return _alone(super().get_params(ctx))


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
