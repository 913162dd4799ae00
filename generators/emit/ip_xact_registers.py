"""The register map as IP-XACT."""

from __future__ import annotations

from xml.sax.saxutils import escape

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_map import registers
from tilewright.generators.emit.register_fields import fields_of
from tilewright.generators.emit.xml_text import Element, element
from tilewright.hdl.engine.register_map import ADDRESS_BITS, WORD_BYTES, Register

_ACCESS = {"ro": "read-only", "rw": "read-write", "wo": "write-only", "w1c": "read-write"}


def memory_map(config: EngineConfig) -> Element:
    """The memory map ``S_AXI``, of one block of registers."""
    values = constants(config)
    return element(
        "memoryMap",
        element("name", "S_AXI"),
        element(
            "addressBlock",
            element("name", "registers"),
            element("baseAddress", "0x0"),
            element("range", f"0x{1 << ADDRESS_BITS:x}"),
            element("width", str(8 * WORD_BYTES)),
            element("usage", "register"),
            *(_register(register, values.get(register.name, 0)) for register in registers(config)),
        ),
    )


def _register(register: Register, reset: int) -> Element:
    fields = [
        element(
            "field",
            element("name", field.name),
            element("description", escape(field.meaning)),
            element("bitOffset", str(field.low)),
            element("bitWidth", str(field.width)),
            element("access", _ACCESS[register.access]),
            *([element("modifiedWriteValue", "oneToClear")] if register.access == "w1c" else []),
        )
        for field in fields_of(register)
    ]
    return element(
        "register",
        element("name", register.name),
        element("description", escape(register.meaning)),
        element("addressOffset", f"0x{register.offset:03x}"),
        element("size", str(8 * WORD_BYTES)),
        element("access", _ACCESS[register.access]),
        element("reset", element("value", f"0x{reset:08x}")),
        *fields,
    )
