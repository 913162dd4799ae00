"""What the files of an engine with several cores tell of them, and that those of one core do not."""

from __future__ import annotations

import json
import re
from functools import cache
from xml.etree import ElementTree

import pytest

from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.emit.engine import constants, digest, engine_modules
from tilewright.generators.emit.engine_files import generate_engine
from tilewright.hdl.engine.pins import split
from tilewright.hdl.engine.register_map import REGISTERS, registers
from tilewright.sim_tests.harness.lint import lint

SMALL = {"rows": 1, "cols": 2, "bus_bits": 32, "a_words": 8, "b_words": 8, "c_words": 8, "module_name": "many"}
SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
DEFAULT_DIGEST = 0x6603654F
MANAGERS = ("m_axi_0", "m_axi_1", "m_axi_2")


def config(cores: int) -> EngineConfig:
    """A small engine."""
    return engine_config(SMALL | {"cores": cores})


@cache
def files(cores: int) -> dict[str, str]:
    """All that it becomes."""
    return generate_engine(config(cores))


def test_each_core_has_a_port_with_attributes_for_vendors() -> None:
    text = files(3)["many.v"]
    head = text[text.index("module many (") :]
    head = head[: head.index(");")]
    ports = re.findall(r"^  (?:input|output) +wire (?:\[\d+:0\] )?(\w+)", head, re.M)
    buses = dict.fromkeys(split(port)[0] for port in ports if port not in ("aclk", "aresetn", "irq"))
    assert list(buses) == ["s_axi", *MANAGERS]
    single = files(1)["many.v"]
    alone = list(dict.fromkeys(re.findall(r"\bm_axi_(\w+)", single[single.index("module many (") :])))
    for manager in MANAGERS:
        own = [port.removeprefix(f"{manager}_") for port in ports if port.startswith(f"{manager}_")]
        assert own == alone
        assert f'aximm:1.0 {manager.upper()} ARADDR" *)' in head
    assert "ASSOCIATED_BUSIF S_AXI:M_AXI_0:M_AXI_1:M_AXI_2, ASSOCIATED_RESET" in head
    assert "AXI4 managers m_axi_0 to m_axi_2" in text and "AXI4 manager m_axi," in single


def test_ip_xact_has_a_master_and_an_address_space_for_each_core() -> None:
    root = ElementTree.fromstring(files(3)["component.xml"])
    names = [each.findtext(f"{SPIRIT}name") for each in root.iter(f"{SPIRIT}busInterface")]
    assert names == ["S_AXI", "M_AXI_0", "M_AXI_1", "M_AXI_2", "aclk", "aresetn", "irq"]
    assert [each.findtext(f"{SPIRIT}name") for each in root.iter(f"{SPIRIT}addressSpace")] == names[1:4]
    mapped = [element.findtext(f"{SPIRIT}name", "") for element in root.iter(f"{SPIRIT}physicalPort")]
    ports = [port.findtext(f"{SPIRIT}name", "") for port in root.iter(f"{SPIRIT}port")]
    assert sorted(mapped) == sorted(ports), "every port belongs to one interface"


def test_registers_of_several_cores_are_told_only_where_there_are_several() -> None:
    for cores, wanted in ((1, False), (2, True)):
        header, text = files(cores)["many.h"], files(cores)["many.v"]
        assert ("MANY_REG_COUNTER_CORE 0x06c" in header) == wanted
        assert ("MANY_STATUS_CORE_SHIFT 4 " in header) == wanted
        assert f"#define MANY_CORES {cores}\n" in header
        assert ("0x06c rw" in text) == ("7 BARRIER" in text.replace("\xa0", " ")) == wanted
        assert ("counter_core" in files(cores)["many.svd"]) == ("counter_core" in files(cores)["many.rdl"]) == wanted
        manifest = json.loads(files(cores)["manifest.json"])
        assert [each["name"] for each in manifest["registers"]] == [each.name for each in registers(cores)]
        assert not any("many" in each for each in manifest["registers"])
    assert registers(2) == REGISTERS and len(registers(1)) == len(REGISTERS) - 1


def test_the_identification_tells_cores() -> None:
    assert [constants(config(cores))["version"] for cores in (1, 2, 16)] == [1, 1 | 1 << 16, 1 | 15 << 16]
    assert len({digest(config(cores)) for cores in (1, 2, 3)}) == 3


def test_one_core_is_what_it_was_before_there_could_be_more() -> None:
    """Hardware that was made before has this digest; none of its modules knows of cores."""
    assert digest(engine_config({})) == DEFAULT_DIGEST
    assert not re.search(r"worker|deal_|blame|counter_core|last_core", files(1)["many.v"])


def test_buffers_are_those_of_all_cores() -> None:
    assert config(3).memory_bytes == 3 * config(1).memory_bytes


def test_workers_are_one_module() -> None:
    names = [module.name for module in engine_modules(config(3))]
    assert names.count("many_worker") == 1
    engine = next(module.text for module in engine_modules(config(3)) if module.name == "many_engine")
    assert re.findall(r"many_worker (\w+) \(", engine) == ["worker_0", "worker_1", "worker_2"]


@pytest.mark.parametrize("cores", [2, 16])
def test_no_warning(cores: int) -> None:
    sources = {f"{module.name}.v": module.text for module in engine_modules(config(cores))}
    assert lint(sources, "many") == []


@pytest.mark.parametrize(("cores", "nearest"), [(0, 1), (17, 16)])
def test_refusals(cores: int, nearest: int) -> None:
    message = rf"^cores must be a whole number 1..16 cores, got {cores}; nearest legal value is {nearest}$"
    with pytest.raises(ConfigError, match=message):
        engine_config({"cores": cores})
