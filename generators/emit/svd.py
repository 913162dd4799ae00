"""The register map as CMSIS-SVD 1.3."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from xml.sax.saxutils import escape

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_map import causes, registers
from tilewright.generators.emit.register_fields import fields_of
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.register_map import ADDRESS_BITS, WORD_BYTES, Field, Register

_ACCESS = {"ro": "read-only", "rw": "read-write", "wo": "write-only", "w1c": "read-write"}
_BITS = 8 * WORD_BYTES


def svd(config: EngineConfig) -> str:
    """Text of ``<module_name>.svd``: a device of one peripheral, at address 0: the base address is the system's."""
    name = config.module_name
    values = constants(config)
    known = causes(config)
    found = "".join(_register(register, values.get(register.name, 0), known) for register in registers(config))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<!-- This file belongs to its user. -->
<device schemaVersion="1.3" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance" \
xs:noNamespaceSchemaLocation="CMSIS-SVD.xsd">
  <name>{name}</name>
  <version>{version("tilewright")}</version>
  <description>Made by: {escape(canonical_command(config))}; the base address is the system's</description>
  <addressUnitBits>8</addressUnitBits>
  <width>{_BITS}</width>
  <size>{_BITS}</size>
  <resetMask>0xFFFFFFFF</resetMask>
  <peripherals>
    <peripheral>
      <name>{name}</name>
      <description>GEMM engine: registers behind AXI4-Lite</description>
      <baseAddress>0x0</baseAddress>
      <addressBlock>
        <offset>0x0</offset>
        <size>0x{1 << ADDRESS_BITS:x}</size>
        <usage>registers</usage>
      </addressBlock>
      <registers>
{found}      </registers>
    </peripheral>
  </peripherals>
</device>
"""


def _register(register: Register, reset: int, causes: Iterable[Cause]) -> str:
    fields = "".join(_field(register, field, causes) for field in fields_of(register))
    clears = "          <modifiedWriteValues>oneToClear</modifiedWriteValues>\n" if register.access == "w1c" else ""
    return f"""        <register>
          <name>{register.name}</name>
          <description>{escape(register.meaning)}</description>
          <addressOffset>0x{register.offset:03x}</addressOffset>
          <access>{_ACCESS[register.access]}</access>
          <resetValue>0x{reset:08x}</resetValue>
{clears}          <fields>
{fields}          </fields>
        </register>
"""


def _field(register: Register, field: Field, causes: Iterable[Cause]) -> str:
    known = "".join(_causes(causes)) if (register.name, field.name) == ("status", "cause") else ""
    return f"""            <field>
              <name>{field.name}</name>
              <description>{escape(field.meaning)}</description>
              <bitOffset>{field.low}</bitOffset>
              <bitWidth>{field.width}</bitWidth>
{known}            </field>
"""


def _causes(known: Iterable[Cause]) -> Iterable[str]:
    yield "              <enumeratedValues>\n"
    for cause in known:
        yield "                <enumeratedValue>\n"
        yield f"                  <name>{cause.name}</name>\n                  <value>{cause.value}</value>\n"
        yield "                </enumeratedValue>\n"
    yield "              </enumeratedValues>\n"
