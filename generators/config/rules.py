"""Rules for one field: what is legal, said in words, and the legal value nearest to one that is not."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol, get_args, runtime_checkable

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from tilewright.generators.config.verilog_names import TAKEN, is_free_identifier, nearest_identifier
from tilewright.hdl.numeric import FloatFormat, Format, FxFormat, IntFormat, parse_format

_COMPARED = 200  # characters of a value in which a likeness is looked for


@runtime_checkable
class Rule(Protocol):
    """Goes into a field's ``Annotated`` type: it checks the value and words the refusal."""

    @property
    def text(self) -> str:
        """What a legal value is, to be read after "must be"."""

    def nearest(self, value: object) -> object:
        """The legal value that comes nearest to ``value``, whatever that is."""


def nearest_name(name: object, names: Iterable[str]) -> str:
    """The one of ``names`` that is spelt most like ``name``."""
    return nearest_names(name, names)[0]


def nearest_names(name: object, names: Iterable[str]) -> list[str]:
    """``names``, those that are spelt most like ``name`` first."""
    candidates = sorted(names)
    return difflib.get_close_matches(_spelt(name), candidates, n=len(candidates), cutoff=0.0) or candidates


def _spelt(value: object) -> str:
    """How ``value`` is spelt, at its start; "" where it cannot be said."""
    try:
        return str(value)[:_COMPARED]
    except Exception:  # an integer of more digits than Python converts, a list too deep, an object of a user's
        return ""


def _integer(value: object) -> object:
    """Integers of all libraries, as Python's own; everything else, truth values too, as it is."""
    if isinstance(value, bool):
        return value
    return int(value) if isinstance(value, Integral) else value


def _number(value: object) -> float | None:
    """The number that ``value`` is or spells, if any."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    value = _integer(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return value


@dataclass(frozen=True)
class Whole:
    """A whole number ``low..high``, or None where the type admits it; never a truth value or a float."""

    low: int
    high: int
    unit: str = ""

    @property
    def text(self) -> str:
        """See ``Rule``."""
        return f"a whole number {self.low}..{self.high}{self.unit and ' ' + self.unit}"

    def take(self, value: object) -> int | None:
        """``value``, an integer of any library, as Python's own; None where it is none that is legal."""
        number = _integer(value)
        return number if type(number) is int and self.low <= number <= self.high else None

    def read(self, word: str) -> int | None:
        """The number that ``word`` spells, in decimal digits; None where it is none that is legal."""
        digits = word.lstrip("0") or word[:1]
        if not (word.isascii() and word.isdecimal() and len(digits) <= len(str(self.high))):
            return None
        return int(digits) if self.low <= int(digits) <= self.high else None

    def nearest(self, value: object) -> int:
        """See ``Rule``."""
        number = _number(value)
        return self.low if number is None else round(max(self.low, min(self.high, number)))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: CoreSchema = core_schema.int_schema(ge=self.low, le=self.high, strict=True)
        if type(None) in get_args(source):
            schema = core_schema.nullable_schema(schema)
        return core_schema.no_info_before_validator_function(_integer, schema)


@dataclass(frozen=True)
class Choice:
    """One of a few values, all names or all numbers."""

    values: tuple[str, ...] | tuple[int, ...]

    @property
    def text(self) -> str:
        """See ``Rule``."""
        return "one of " + ", ".join(str(value) for value in self.values)

    def nearest(self, value: object) -> object:
        """See ``Rule``."""
        names = [choice for choice in self.values if isinstance(choice, str)]
        if names:
            return nearest_name(value, names)
        number = _number(value)
        return self.values[0] if number is None else min(self.values, key=lambda choice: abs(int(choice) - number))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._refuse_equals, handler(source))

    def _refuse_equals(self, value: object) -> object:
        value = _integer(value)
        if value is None or isinstance(value, str) or type(value) is int:
            return value
        raise ValueError("neither a number nor a name")  # True and 1.0 equal 1, and would pass for it


@dataclass(frozen=True)
class Flag:
    """True or false; never a number or a word."""

    @property
    def text(self) -> str:
        """See ``Rule``."""
        return "true or false"

    def nearest(self, value: object) -> bool:
        """See ``Rule``: what a word or a number stands for."""
        number = _number(value)
        return bool(number) if number is not None else _spelt(value).strip().lower() in ("true", "yes", "on")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.bool_schema(strict=True)


@dataclass(frozen=True)
class NumberFormat:
    """The name of a number format: ``int<N>`` of ``low..high`` bits, and ``uint<N>`` unless ``signed_only``; one of
    ``floats``; ``fx<N>`` of ``windows`` bits, both included, if any are told."""

    low: int
    high: int
    signed_only: bool = False
    floats: tuple[str, ...] = ()
    windows: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        """See ``Rule``."""
        kinds = [f"int{self.low}..int{self.high}"]
        kinds += [] if self.signed_only else [f"uint{self.low}..uint{self.high}"]
        kinds += self.floats
        kinds += [f"fx{self.windows[0]}..fx{self.windows[1]}"] if self.windows else []
        return f"{', '.join(kinds[:-1])} or {kinds[-1]}" if len(kinds) > 1 else kinds[0]

    def nearest(self, value: object) -> Format:
        """See ``Rule``: the kind, sign and width that are meant, brought into range; 8 bits where no width is told."""
        text = _spelt(value).strip().lower()
        digits = re.search(r"[0-9]{1,9}", text)
        width = int(digits[0]) if digits else 8
        if self.windows and text.startswith("fx"):
            return FxFormat(max(self.windows[0], min(self.windows[1], width)))
        like = []
        if text.startswith(("f", "b", "e")):
            begun = [name for name in self.floats if name.startswith(text)]
            like = begun or difflib.get_close_matches(text, self.floats, n=1, cutoff=0.5)
        if like:
            return parse_format(like[0])
        return IntFormat(max(self.low, min(self.high, width)), self.signed_only or not text.startswith("u"))

    def _parse(self, value: object) -> Format:
        if isinstance(value, str):
            try:
                value = parse_format(value)
            except ValueError:
                raise ValueError(self.text) from None
        if isinstance(value, IntFormat) and self.low <= value.width <= self.high:
            legal = value.signed or not self.signed_only
        elif isinstance(value, FxFormat) and self.windows:
            legal = self.windows[0] <= value.width <= self.windows[1]
        else:
            legal = isinstance(value, FloatFormat) and str(value) in self.floats
        if not legal:
            raise ValueError(self.text)
        return value  # type: ignore[return-value]  # it is one of the kinds above

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self._parse, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        kinds = ("int",) if self.signed_only else ("int", "uint")
        names = [f"{kind}{width}" for kind in kinds for width in range(self.low, self.high + 1)]
        names += self.floats
        names += [f"fx{width}" for width in range(self.windows[0], self.windows[1] + 1)] if self.windows else []
        return {"type": "string", "enum": names}


@dataclass(frozen=True)
class Identifier:
    """A name that Verilog and SystemVerilog take for a module without escaping."""

    @property
    def text(self) -> str:
        """See ``Rule``."""
        return f"a Verilog identifier of at most 64 characters that is no keyword and none of {', '.join(TAKEN)}"

    def nearest(self, value: object) -> str:
        """See ``Rule``."""
        return nearest_identifier(_spelt(value))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, core_schema.str_schema(strict=True))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$"}

    def _check(self, name: str) -> str:
        if not is_free_identifier(name):
            raise ValueError(self.text)
        return name
