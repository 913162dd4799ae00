"""Templates: files of other languages with places to fill."""

from __future__ import annotations

import re
from importlib import resources

_FOLDER = resources.files("tilewright.fpga.export") / "templates"
_PLACE = re.compile(r"@(\w+)@")


def template(name: str) -> str:
    """The text of the template ``name``."""
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def filled(name: str, **values: str) -> str:
    """The template ``name`` with each ``@place@`` filled by the value of its name. Raises KeyError where one lacks."""
    return _PLACE.sub(lambda found: values[found[1]], template(name))
