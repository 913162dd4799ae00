"""Registers as descriptions need them: with a field where the map names none."""

from __future__ import annotations

from tilewright.hdl.engine.register_map import WORD_BYTES, Field, Register


def fields_of(register: Register) -> tuple[Field, ...]:
    """The fields of ``register``; of one without any, ``value``, all of it."""
    return register.fields or (Field("value", 0, 8 * WORD_BYTES, register.meaning),)
