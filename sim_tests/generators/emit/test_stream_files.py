"""What the files of an engine with AXI4-Stream ports tell, where it is not what those of others do."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_map import causes, registers
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.register_map import REGISTERS
from tilewright.sim_tests.generators.emit.engine_outputs import MODULE, WITH_MEMORY, config, engine_files

NAME = "engine-4x4-int8-stream"
STREAMS = {"s_axis_program": "input", "s_axis_load": "input", "m_axis_store": "output"}
SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
OTHER = {"input": "output", "output": "input"}


def head() -> str:
    """Ports of the top module, with their attributes."""
    found = re.search(rf"^module {MODULE} \((.*?)^\);", engine_files(NAME)[f"{MODULE}.v"], re.M | re.S)
    assert found is not None
    return found[1]


def test_ports_and_attributes_for_vendors() -> None:
    ports = re.findall(r"^  (input|output) +wire (?:\[(\d+):0\] )?(\w+)", head(), re.M)
    found = {port: (direction, int(high or 0) + 1) for direction, high, port in ports}
    bits = config(NAME).bus_bits
    for stream, forward in STREAMS.items():
        widths = {"tdata": bits, "tkeep": bits // 8, "tlast": 1, "tvalid": 1}
        for signal, width in widths.items():
            assert found.pop(f"{stream}_{signal}") == (forward, width)
        assert found.pop(f"{stream}_tready") == (OTHER[forward], 1)
        for signal in (*widths, "tready"):
            what = f"xilinx.com:interface:axis:1.0 {stream.upper()} {signal.upper()}"
            assert re.search(rf'X_INTERFACE_INFO = "{what}" \*\)\n +\w+ +wire .*\b{stream}_{signal}\b', head())
    assert [port for port in found if not port.startswith("s_axi_")] == ["aclk", "aresetn", "irq"]
    assert "ASSOCIATED_BUSIF S_AXI:S_AXIS_PROGRAM:S_AXIS_LOAD:M_AXIS_STORE, ASSOCIATED_RESET aresetn" in head()


def test_ip_xact_has_the_streams_as_bus_interfaces_and_no_address_space() -> None:
    root = ElementTree.fromstring(engine_files(NAME)["component.xml"])
    assert root.find(f"{SPIRIT}addressSpaces") is None
    interfaces = {bus.findtext(f"{SPIRIT}name"): bus for bus in root.iter(f"{SPIRIT}busInterface")}
    assert set(interfaces) == {*(stream.upper() for stream in STREAMS), "S_AXI", "aclk", "aresetn", "irq"}
    ports = {port.findtext(f"{SPIRIT}name") for port in root.iter(f"{SPIRIT}port")}
    for stream, forward in STREAMS.items():
        bus = interfaces[stream.upper()]
        kind = bus.find(f"{SPIRIT}busType")
        assert kind is not None and kind.get(f"{SPIRIT}name") == "axis"
        assert bus.find(f"{SPIRIT}{'slave' if forward == 'input' else 'master'}") is not None
        maps = [
            (each.findtext(f"*/{SPIRIT}name"), each.findall(f"*/{SPIRIT}name")[-1].text)
            for each in bus.iter(f"{SPIRIT}portMap")
        ]
        assert dict(maps) == {s: f"{stream}_{s.lower()}" for s in ("TDATA", "TKEEP", "TLAST", "TVALID", "TREADY")}
        assert {physical for _, physical in maps} <= ports
        values = {p.findtext(f"{SPIRIT}name"): p.findtext(f"{SPIRIT}value") for p in bus.iter(f"{SPIRIT}parameter")}
        assert values == {"TDATA_NUM_BYTES": "8", "HAS_TKEEP": "1", "HAS_TLAST": "1", "HAS_TREADY": "1"}


def test_registers_have_the_same_places_and_other_words() -> None:
    own = registers(config(NAME))
    assert [(r.name, r.offset, r.access) for r in own] == [
        (r.name, r.offset, r.access) for r in REGISTERS if not r.many
    ]
    meanings = {r.name: r.meaning for r in own}
    assert meanings["program_count"] == "instructions of the packet on s_axis_program; 0: they come through the window"
    assert constants(config(NAME))["port"] >> 16 == 0
    assert all(constants(config(name))["port"] >> 16 for name in WITH_MEMORY)
    for file in (f"{MODULE}.h", f"{MODULE}.rdl", f"{MODULE}.svd", "component.xml", "manifest.json"):
        text = engine_files(NAME)[file]
        assert meanings["program_count"] in text and "program in memory" not in text, file


def test_causes_are_those_that_the_engine_can_have() -> None:
    of_streams, of_memory = set(causes(config(NAME))), set(causes(config(WITH_MEMORY[0])))
    assert of_streams - of_memory == {Cause.PROGRAM_PACKET, Cause.LOAD_PACKET}
    assert of_memory - of_streams == {Cause.FETCH_ERROR, Cause.READ_ERROR, Cause.WRITE_ERROR}
    assert of_streams | of_memory == set(Cause)
    header, manifest = engine_files(NAME)[f"{MODULE}.h"], json.loads(engine_files(NAME)["manifest.json"])
    prefix = MODULE.upper()
    assert f"#define {prefix}_CAUSE_LOAD_PACKET 12\n" in header and "READ_ERROR" not in header
    assert f"#define {prefix}_PACKET_FAULT_TLAST_LATE 2\n" in header
    assert manifest["cause"]["PROGRAM_PACKET"] == 11
    assert manifest["packet_fault"] == {"NONE": 0, "TLAST_EARLY": 1, "TLAST_LATE": 2, "TKEEP": 3}
    assert "<name>LOAD_PACKET</name>" in engine_files(NAME)[f"{MODULE}.svd"]


def test_the_readme_tells_of_packets() -> None:
    text = engine_files(NAME)["README.txt"]
    assert "as a packet on s_axis_program" in text and "out of memory" not in text
