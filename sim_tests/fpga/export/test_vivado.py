"""What is exported for Vivado: the script runs, and every port is of an interface with its clock and reset."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tilewright.fpga.export.axis_core import axis_name
from tilewright.fpga.export.product import Product
from tilewright.fpga.export.vivado import vivado
from tilewright.generators.config.engine import engine_config
from tilewright.sim_tests.fpga.export.products import core, described
from tilewright.sim_tests.generators.emit.outputs import write

tkinter = pytest.importorskip("tkinter", reason="this Python has no Tcl; on Debian and Ubuntu python3-tk has it")
FakeVivado = pytest.importorskip("tilewright.sim_tests.fpga.export.fake_vivado").FakeVivado

ENGINES: dict[str, dict[str, Any]] = {
    "engine": {},
    "cores": {"rows": 2, "cols": 2, "cores": 3},
    "streams": {"data_ports": "axi4-stream"},
    "floats": {"rows": 2, "cols": 2, "a": "bf16"},
}
BUSES = {
    "engine": ["S_AXI", "M_AXI"],
    "cores": ["S_AXI", "M_AXI_0", "M_AXI_1", "M_AXI_2"],
    "streams": ["S_AXI", "S_AXIS_PROGRAM", "S_AXIS_LOAD", "M_AXIS_STORE"],
    "floats": ["S_AXI", "M_AXI"],
}


def packaged(product: Product, folder: Path, *arguments: str) -> Any:
    """What becomes of the IP of ``product``."""
    write(vivado(product), folder)
    found = FakeVivado()
    found.source(folder / "package_ip.tcl", *arguments)
    return found


def associated(found: Any) -> list[str]:
    """Interfaces that were given the clock."""
    calls = [call for call in found.calls if call[0] == "ipx::associate_bus_interfaces"]
    assert calls.pop() == ("ipx::associate_bus_interfaces", "-clock", "aclk", "-reset", "aresetn", "core")
    assert all(call[3:] == ("-clock", "aclk", "core") and call[1] == "-busif" for call in calls)
    return [call[2] for call in calls]


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_packaged_with_all_its_interfaces(name: str, tmp_path: Path) -> None:
    product = described(engine_config(ENGINES[name]))
    found = packaged(product, tmp_path)
    assert found.loose == set(), "every port is of an interface"
    assert associated(found) == BUSES[name] == [bus for bus in found.interfaces if "AXI" in bus]
    assert found.properties["bus:aclk/ASSOCIATED_BUSIF", "value"] == ":".join(BUSES[name])
    assert found.properties["bus:aclk/ASSOCIATED_RESET", "value"] == "aresetn"
    assert found.properties["bus:aresetn/POLARITY", "value"] == "ACTIVE_LOW"
    assert found.properties["bus:irq/SENSITIVITY", "value"] == "LEVEL_HIGH"
    for bus in BUSES[name]:
        kind, ports = found.interfaces[bus]
        assert kind == f"xilinx.com:interface:{'axis' if 'AXIS' in bus else 'aximm'}:1.0"
        assert {"TLAST", "TKEEP"} <= {*ports} if "AXIS" in bus else "AWADDR" in ports
        assert all(port == port.lower() and port.startswith(bus.lower()) for port in ports.values())
    told = found.registers()
    for register in product.manifest["registers"]:
        assert int(told[register["name"]]["address_offset"], 16) == register["offset"]
        assert told[register["name"]]["description"] == register["meaning"]
        for field in register["fields"]:
            place = told[f"{register['name']}/{field['name']}"]
            assert (place["bit_offset"], place["bit_width"]) == (str(field["low"]), str(field["width"]))
    assert found.properties["file:" + f"{product.top}_ooc.xdc", "used_in"].endswith("out_of_context")
    assert found.calls[-1] == ("ipx::save_core", "core")


def test_a_core_is_packaged_with_axi4_streams_of_whole_bytes(tmp_path: Path) -> None:
    found = packaged(core(), tmp_path, "xc7z020clg400-1")
    assert found.calls[0] == (
        "create_project",
        "-in_memory",
        f"package_{axis_name(core())}",
        "-part",
        "xc7z020clg400-1",
    )
    assert found.loose == set()
    assert associated(found) == [bus for bus in found.interfaces if "AXIS" in bus]
    assert len(associated(found)) == len(core().manifest["streams"])
    for bus, (_, ports) in found.interfaces.items():
        if "BEATS" in bus or bus.startswith("M_AXIS"):
            assert {"TDATA", "TKEEP", "TLAST", "TVALID", "TREADY"} == {*ports}
    assert found.registers() == {}


def test_a_port_without_an_interface_stops_the_script(tmp_path: Path) -> None:
    write(vivado(core()), tmp_path)
    file = tmp_path / f"{axis_name(core())}.v"
    file.write_text(re.sub(r"\(\* X_INTERFACE_INFO = \"\S+ S_AXIS_COMMAND \w+\" \*\)", "", file.read_text()))
    with pytest.raises(tkinter.TclError, match="the ports of S_AXIS_COMMAND must be one interface, got 0"):
        FakeVivado().source(tmp_path / "package_ip.tcl")


def test_the_driver_comes_with_engines_that_it_can_drive() -> None:
    driver = {"tilewright_pynq.py", "tilewright_program.py"}
    for fields, has in (({}, True), ({"data_ports": "axi4-stream"}, False), ({"a": "fp8_e4m3"}, False)):
        product = described(engine_config({"rows": 2, "cols": 2, **fields}))
        files = vivado(product)
        assert (driver <= {*files}) == has == ("tilewright_engine.json" in files)
        if has:
            told = json.loads(files["tilewright_engine.json"])
            assert told["registers"] == product.manifest["registers"] and told["constants"] and "files" not in told
            assert "import tilewright." not in "".join(files[name] for name in driver)
            assert "from tilewright_program import product_program" in files["tilewright_pynq.py"]
    assert driver.isdisjoint(vivado(core()))
