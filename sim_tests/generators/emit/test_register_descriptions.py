"""SystemRDL, SVD and IP-XACT of an engine, read by independent programs, say what the register map says."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cmsis_svd.parser import SVDParser
from systemrdl.compiler import RDLCompiler
from systemrdl.rdltypes.builtin_enums import OnWriteType

from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_map import causes
from tilewright.generators.emit.register_fields import fields_of
from tilewright.generators.emit.svd import svd
from tilewright.generators.emit.system_rdl import system_rdl
from tilewright.hdl.engine.register_map import registers
from tilewright.sim_tests.generators.emit.engine_outputs import MODULE, config, engine_files

NAME = "engine-4x4-int8-32bit"
VALUES = constants(config(NAME))
FIELDS = [
    (register.name, register.offset, field.name, field.low, field.low + field.width - 1)
    for register in registers(1)
    for field in fields_of(register)
]
SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"


def test_registers_do_not_overlap_and_are_whole_words() -> None:
    offsets = [register.offset for register in registers(2)]
    assert offsets == sorted(set(offsets)) and all(offset % 4 == 0 for offset in offsets)
    for register in registers(2):
        bits = [bit for field in register.fields for bit in range(field.low, field.low + field.width)]
        assert len(bits) == len(set(bits)) and all(bit < 32 for bit in bits)


def test_system_rdl(tmp_path: Path) -> None:
    (tmp_path / "engine.rdl").write_text(system_rdl(config(NAME)))
    compiler = RDLCompiler()
    compiler.compile_file(str(tmp_path / "engine.rdl"))
    top = compiler.elaborate().top
    assert top.inst_name == MODULE
    found = []
    for register in top.registers():
        for field in register.fields():
            found.append((register.inst_name, register.address_offset, field.inst_name, field.low, field.high))
    assert found == FIELDS
    access = {r.name: r.access for r in registers(1)}
    for register in top.registers():
        for field in register.fields():
            kind = access[register.inst_name]
            assert field.is_sw_readable == (kind != "wo") and field.is_sw_writable == (kind != "ro")
            assert (field.get_property("onwrite") == OnWriteType.woclr) == (kind == "w1c")
            if register.inst_name in VALUES:
                mask = (1 << field.width) - 1
                assert field.get_property("reset") == VALUES[register.inst_name] >> field.low & mask
                assert not field.is_hw_writable


def test_svd(tmp_path: Path) -> None:
    (tmp_path / "engine.svd").write_text(svd(config(NAME)))
    device: Any = SVDParser.for_xml_file(str(tmp_path / "engine.svd")).get_device()
    (peripheral,) = device.peripherals
    assert (peripheral.name, peripheral.base_address) == (MODULE, 0)
    found = [
        (register.name, register.address_offset, field.name, field.bit_offset, field.bit_offset + field.bit_width - 1)
        for register in peripheral.registers
        for field in register.fields
    ]
    assert found == FIELDS
    words = {"ro": "read-only", "rw": "read-write", "wo": "write-only", "w1c": "read-write"}
    for register, each in zip(registers(1), peripheral.registers, strict=True):
        access = getattr(each.access, "value", each.access)
        assert (access, each.reset_value) == (words[register.access], VALUES.get(register.name, 0))
    status = next(register for register in peripheral.registers if register.name == "status")
    cause = next(field for field in status.fields if field.name == "cause")
    (enumeration,) = cause.enumerated_values
    values = enumeration.enumerated_values
    assert [(value.name, value.value) for value in values] == [(c.name, c.value) for c in causes(config(NAME))]


@pytest.mark.parametrize("name", [NAME, "is-3x5-512"])
def test_ip_xact_is_that_of_the_module(name: str) -> None:
    files = engine_files(name)
    root = ElementTree.fromstring(files["component.xml"])
    text = {tag: root.findtext(f"{SPIRIT}{tag}") for tag in ("vendor", "library", "name")}
    assert text == {"vendor": "tilewright", "library": "ip", "name": MODULE}
    ports = {}
    for port in root.iter(f"{SPIRIT}port"):
        left = port.findtext(f".//{SPIRIT}left")
        ports[port.findtext(f"{SPIRIT}name", "")] = (port.findtext(f".//{SPIRIT}direction"), int(left or 0) + 1)
    heads = [line for line in files[f"{MODULE}.v"].split(f"module {MODULE} (")[1].split(");")[0].splitlines()]
    assert len(ports) == sum(line.strip().startswith(("input", "output")) for line in heads)
    mapped = [element.findtext(f"{SPIRIT}name", "") for element in root.iter(f"{SPIRIT}physicalPort")]
    assert sorted(mapped) == sorted(ports), "every port belongs to one interface"
    settings = config(name)
    assert ports["m_axi_wdata"] == ("out", settings.bus_bits) and ports["m_axi_araddr"] == (
        "out",
        settings.address_bits,
    )
    found = [
        (each.findtext(f"{SPIRIT}name"), int(each.findtext(f"{SPIRIT}addressOffset") or "", 16))
        for each in root.iter(f"{SPIRIT}register")
    ]
    assert found == [(register.name, register.offset) for register in registers(1)]
    assert root.findtext(f".//{SPIRIT}file/{SPIRIT}name") == f"{MODULE}.v"
    assert root.findtext(f".//{SPIRIT}view/{SPIRIT}modelName") == MODULE
