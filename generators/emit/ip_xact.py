"""The engine as an IP-XACT component (IEEE 1685-2009), the form that IP catalogues of FPGA tools read."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from xml.sax.saxutils import escape

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.engine_ports import engine_ports
from tilewright.generators.emit.engine_top import interfaces
from tilewright.generators.emit.ip_xact_registers import memory_map
from tilewright.generators.emit.module import VerilogModule
from tilewright.generators.emit.xml_text import Element, element, xml_text
from tilewright.hdl.engine.pins import STREAMS

_NAMESPACES = {
    "xmlns:xilinx": "http://www.xilinx.com",
    "xmlns:spirit": "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009",
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
}
_AXI, _AXIS, _SIGNAL = "xilinx.com:interface:aximm", "xilinx.com:interface:axis", "xilinx.com:signal"


def ip_xact(config: EngineConfig, top: VerilogModule) -> str:
    """Text of ``component.xml``: ports, bus interfaces, registers and the Verilog file."""
    name = config.module_name
    component = element(
        "component",
        element("vendor", "tilewright"),
        element("library", "ip"),
        element("name", name),
        element("version", ".".join(version("tilewright").split(".")[:2])),
        element("busInterfaces", *_interfaces(config, top)),
        *(() if config.streams else (_address_spaces(config, top),)),
        element("memoryMaps", memory_map(config)),
        element("model", _views(name), element("ports", *_ports(top))),
        element("fileSets", _file_set(name)),
        element("description", f"GEMM engine. Made by: {escape(canonical_command(config))}"),
        _parameters(name),
        attributes=_NAMESPACES,
    )
    return xml_text(component)


def _address_spaces(config: EngineConfig, top: VerilogModule) -> Element:
    return element(
        "addressSpaces",
        *(
            element(
                "addressSpace",
                element("name", bus.upper()),
                element("range", str(1 << config.address_bits)),
                element("width", str(config.bus_bits)),
            )
            for bus in interfaces(top)[1:]
        ),
    )


def _interfaces(config: EngineConfig, top: VerilogModule) -> Iterable[Element]:
    address = {"PROTOCOL": "AXI4LITE", "DATA_WIDTH": "32", "ADDR_WIDTH": str(_width(top, "s_axi_araddr"))}
    role = element("slave", element("memoryMapRef", attributes={"spirit:memoryMapRef": "S_AXI"}))
    yield _bus("S_AXI", f"{_AXI}:1.0", f"{_AXI}_rtl:1.0", role, _map(top, "s_axi"), address)
    yield from _streams(config, top) if config.streams else _memory(config, top)
    slave = element("slave")
    clock = {"ASSOCIATED_BUSIF": ":".join(map(str.upper, interfaces(top))), "ASSOCIATED_RESET": "aresetn"}
    yield _bus("aclk", f"{_SIGNAL}:clock:1.0", f"{_SIGNAL}:clock_rtl:1.0", slave, {"CLK": "aclk"}, clock)
    reset = {"POLARITY": "ACTIVE_LOW"}
    yield _bus("aresetn", f"{_SIGNAL}:reset:1.0", f"{_SIGNAL}:reset_rtl:1.0", slave, {"RST": "aresetn"}, reset)
    interrupt = {"SENSITIVITY": "LEVEL_HIGH"}
    names = (f"{_SIGNAL}:interrupt:1.0", f"{_SIGNAL}:interrupt_rtl:1.0")
    yield _bus("irq", *names, element("master"), {"INTERRUPT": "irq"}, interrupt)


def _streams(config: EngineConfig, top: VerilogModule) -> Iterable[Element]:
    form = {"TDATA_NUM_BYTES": str(config.bus_bits // 8), "HAS_TKEEP": "1", "HAS_TLAST": "1", "HAS_TREADY": "1"}
    for name in STREAMS:
        role = element("master" if name.startswith("m") else "slave")
        yield _bus(name.upper(), f"{_AXIS}:1.0", f"{_AXIS}_rtl:1.0", role, _map(top, name), form)


def _memory(config: EngineConfig, top: VerilogModule) -> Iterable[Element]:
    memory = {
        "PROTOCOL": "AXI4",
        "DATA_WIDTH": str(config.bus_bits),
        "ADDR_WIDTH": str(config.address_bits),
        "MAX_BURST_LENGTH": str(config.max_burst),
        "SUPPORTS_NARROW_BURST": "0",
        "NUM_READ_OUTSTANDING": str(config.outstanding),
        "NUM_WRITE_OUTSTANDING": str(config.outstanding),
    }
    for bus in interfaces(top)[1:]:
        name = bus.upper()
        role = element("master", element("addressSpaceRef", attributes={"spirit:addressSpaceRef": name}))
        yield _bus(name, f"{_AXI}:1.0", f"{_AXI}_rtl:1.0", role, _map(top, bus), memory)


def _bus(
    name: str, kind: str, abstraction: str, role: Element, ports: dict[str, str], parameters: dict[str, str]
) -> Element:
    return element(
        "busInterface",
        element("name", name),
        element("busType", attributes=_reference(kind)),
        element("abstractionType", attributes=_reference(abstraction)),
        role,
        element(
            "portMaps",
            *(
                element(
                    "portMap",
                    element("logicalPort", element("name", logical)),
                    element("physicalPort", element("name", physical)),
                )
                for logical, physical in ports.items()
            ),
        ),
        element("parameters", *(_parameter(f"{name}.{label}", label, value) for label, value in parameters.items())),
    )


def _reference(name: str) -> dict[str, str]:
    parts = zip(("vendor", "library", "name", "version"), name.split(":"), strict=True)
    return {f"spirit:{part}": value for part, value in parts}


def _parameter(label: str, name: str, value: str) -> Element:
    identifier = f"BUSIFPARAM_VALUE.{label.upper()}"
    return element("parameter", element("name", name), element("value", value, attributes={"spirit:id": identifier}))


def _width(top: VerilogModule, name: str) -> int:
    return next(port.width for port in top.ports if port.name == name)


def _map(top: VerilogModule, bus: str) -> dict[str, str]:
    own = [port.name for port in top.ports if port.name.startswith(f"{bus}_")]
    return {name.removeprefix(f"{bus}_").upper(): name for name in own}


def _views(name: str) -> Element:
    views = (
        ("xilinx_anylanguagesynthesis", ":vivado.xilinx.com:synthesis"),
        ("xilinx_anylanguagebehavioralsimulation", ":vivado.xilinx.com:simulation"),
    )
    return element(
        "views",
        *(
            element(
                "view",
                element("name", view),
                element("envIdentifier", identifier),
                element("language", "Verilog"),
                element("modelName", name),
                element("fileSetRef", element("localName", "verilog")),
            )
            for view, identifier in views
        ),
    )


def _ports(top: VerilogModule) -> Iterable[Element]:
    meanings = {port.name: port.meaning for port in engine_ports(top)}
    for port in top.ports:
        vector = (element("vector", element("left", str(port.width - 1)), element("right", "0")),)
        direction = element("direction", "in" if port.direction == "input" else "out")
        yield element(
            "port",
            element("name", port.name),
            element("description", escape(meanings[port.name])),
            element("wire", direction, *(vector if port.width > 1 else ())),
        )


def _file_set(name: str) -> Element:
    file = element("file", element("name", f"{name}.v"), element("fileType", "verilogSource"))
    return element("fileSet", element("name", "verilog"), file)


def _parameters(name: str) -> Element:
    value = element("value", name, attributes={"spirit:resolve": "user", "spirit:id": "PARAM_VALUE.Component_Name"})
    return element("parameters", element("parameter", element("name", "Component_Name"), value))
