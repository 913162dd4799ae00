"""What the output folder of an engine contains, and that it depends on the configuration alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.generators.config.command import canonical_command
from tilewright.generators.emit.engine import constants, digest
from tilewright.generators.program.layout import fields
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.engine.register_map import registers
from tilewright.sim_tests.generators.emit.engine_outputs import ENGINES, MODULE, WITH_MEMORY, config, engine_files

SMALLEST = "engine-4x4-int8-32bit"
DIGEST = """
import hashlib
from tilewright.sim_tests.generators.emit.engine_outputs import engine_files
print(hashlib.sha256(repr(sorted(engine_files("engine-4x4-int8-32bit").items())).encode()).hexdigest())
"""


def test_same_bytes_whatever_the_hash_seed_the_folder_and_the_zone(tmp_path: Path) -> None:
    path = os.environ.get("PYTHONPATH", "")
    variables = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1000000000", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, **variables}, cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == hashlib.sha256(repr(sorted(engine_files(SMALLEST).items())).encode()).hexdigest()


@pytest.mark.parametrize("name", ENGINES)
def test_files(name: str) -> None:
    files = engine_files(name)
    kinds = {"v", "h", "rdl", "svd"}
    assert set(files) == {*(f"{MODULE}.{kind}" for kind in kinds), "component.xml", "README.txt", "manifest.json"}
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in files.values())
    command = canonical_command(config(name))
    for file in (f"{MODULE}.h", f"{MODULE}.rdl", f"{MODULE}.svd", "component.xml", "README.txt", "manifest.json"):
        assert command in files[file], file
    assert not re.search(r"/tmp|/home|/root|20\d\d-\d\d", "".join(files.values()))


def test_manifest_lists_files_registers_and_instructions() -> None:
    files = engine_files(SMALLEST)
    manifest = json.loads(files["manifest.json"])
    assert set(manifest["files"]) == set(files) - {"manifest.json"}
    for name, entry in manifest["files"].items():
        data = files[name].encode()
        assert entry == {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert [r["offset"] for r in manifest["registers"]] == [register.offset for register in registers(1)]
    assert manifest["constants"] == constants(config(SMALLEST))
    box = {f["name"]: (f["low"], f["width"], f["signed"]) for f in manifest["instructions"]["BOX"]}
    assert box.items() <= {n: (f.offset, f.width, f.signed) for n, f in fields(Opcode.LOAD).items()}.items()
    assert len(box) == len(fields(Opcode.LOAD)) - 6  # those of the head
    assert manifest["row_module"] in manifest["modules"]
    assert manifest["container_bytes"] == {"a": 1, "b": 1, "acc": 4, "result": 1}


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_ports_are_those_of_the_standard_with_attributes_for_vendors(name: str) -> None:
    text = engine_files(name)[f"{MODULE}.v"]
    head = re.search(rf"^module {MODULE} \((.*?)^\);", text, re.M | re.S)
    assert head is not None
    ports = re.findall(r"^  (input|output) +wire (?:\[(\d+):0\] )?(\w+)", head[1], re.M)
    found = {port: (direction, int(high or 0) + 1) for direction, high, port in ports}
    listed = [
        (p["name"], (p["direction"], p["width"])) for p in json.loads(engine_files(name)["manifest.json"])["ports"]
    ]
    assert list(found.items()) == listed
    settings = config(name)
    assert found["m_axi_rdata"] == ("input", settings.bus_bits)
    assert found["m_axi_wstrb"] == ("output", settings.bus_bits // 8)
    assert found["m_axi_araddr"] == found["m_axi_awaddr"] == ("output", settings.address_bits)
    assert found["s_axi_awaddr"] == ("input", 9) and found["s_axi_rdata"] == ("output", 32)
    assert [port for port in found if port[:6] not in ("s_axi_", "m_axi_")] == ["aclk", "aresetn", "irq"]
    for port in found:
        known = {"aclk": "clock:1.0 aclk CLK", "aresetn": "reset:1.0 aresetn RST", "irq": "interrupt:1.0 irq INTERRUPT"}
        what = known.get(port, f"aximm:1.0 {port[:5].upper()} {port[6:].upper()}")
        assert re.search(
            rf'X_INTERFACE_INFO = "xilinx.com:\w+:{re.escape(what)}"[^\n]*\n +\w+ +wire .*\b{port}\b', head[1]
        )
    assert "ASSOCIATED_BUSIF S_AXI:M_AXI, ASSOCIATED_RESET aresetn" in head[1]
    assert "POLARITY ACTIVE_LOW" in head[1] and "SENSITIVITY LEVEL_HIGH" in head[1]


def test_the_head_tells_configuration_registers_and_ports() -> None:
    text = engine_files(SMALLEST)[f"{MODULE}.v"]
    comment = text[: text.index("\nmodule ")]
    joined = re.sub(r"\n// +", " ", comment)
    assert canonical_command(config(SMALLEST)) in joined
    assert "belongs to its user" in comment
    assert all(len(line) <= 121 for line in comment.splitlines())
    for port in json.loads(engine_files(SMALLEST)["manifest.json"])["ports"]:
        assert re.search(rf"^//   {port['direction']:6} {port['name']} {port['width']} ", comment, re.M), port
    for register in registers(1):
        if not re.match(r"window_|.*_(low|high)$", register.name):
            assert re.search(rf"0x{register.offset:03x} {register.access} +{register.name}:", comment), register.name


def test_the_digest_is_that_of_what_the_command_tells() -> None:
    settings = config(SMALLEST)
    assert digest(settings.model_copy(update={"memory_limit_bits": 1 << 39})) == digest(settings)
    assert digest(settings.model_copy(update={"channels": 65})) != digest(settings)
    text = engine_files(SMALLEST)[f"{MODULE}.v"]
    assert re.search(rf"32'h{digest(settings):08x}\b|32'd{digest(settings)}\b", text)
