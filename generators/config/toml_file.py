"""Configurations in TOML files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.input_file import read_text

_POSITION = re.compile(r"(?P<reason>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)\Z", re.DOTALL)
# A key of a hundred parts; the parser's memory grows with the square of their number.
_DEEP = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){100}""")
_END = re.compile(r"(?P<reason>.*) \(at end of document\)\Z", re.DOTALL)


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The fields that ``text`` sets. Raises ConfigError with line and column where it does not parse.

    ``name`` is what the error calls the text. A ``$schema`` key is for editors and is left out.
    """
    try:
        if _DEEP.search(text):
            raise RecursionError
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_words(str(error), text, name)) from None
    except RecursionError:
        raise ConfigError(f"{name} must be TOML, but is nested too deeply") from None
    except ValueError:  # the one that the parser leaves to Python
        raise ConfigError(f"{name} must be TOML, but has a number of thousands of digits") from None
    fields.pop("$schema", None)
    return fields


def _words(message: str, text: str, name: str) -> str:
    at, end = _POSITION.match(message), _END.match(message)
    if at is not None:
        reason, line, column = at["reason"], int(at["line"]), int(at["column"])
    else:  # the parser gives no position for an end that comes too early
        reason = end["reason"] if end is not None else message
        line, column = text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
    return f"{name} must be TOML, but does not parse at line {line}, column {column}: {reason[:1].lower()}{reason[1:]}"


def read_toml(path: Path) -> dict[str, Any]:
    """The fields that the file ``path`` sets. Raises ConfigError where it cannot be read or does not parse."""
    return parse_toml(read_text("configuration file", path), str(path))
