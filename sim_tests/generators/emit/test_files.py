"""What an output folder contains, and that it depends on the configuration alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.generators.config.presets import preset
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit import generate
from tilewright.generators.emit.elaborate import core_parameters, modules
from tilewright.generators.emit.latency import formulas
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.records import COMMAND, Status
from tilewright.sim_tests.generators.emit.outputs import array_files, preset_files

MODULE = "tilewright_gemm"
DIGESTS = """
import datetime, hashlib, sys, time
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit import generate
years = {datetime.datetime.now().year, datetime.date.today().year, time.gmtime(time.time()).tm_year}
years |= {time.gmtime().tm_year, int(time.strftime("%Y")), time.gmtime(time.time_ns() // 10**9).tm_year}
print("year", *years)
for rows in sys.argv[1:]:
    files = generate(systolic_config({"rows": int(rows), "cols": 3, "dataflow": "any"}))
    print(rows, hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest())
"""
# Python loads it when it starts: all that asks for the time is told that of SOURCE_DATE_EPOCH.
CLOCK = """
import datetime, os, time
told = float(os.environ["SOURCE_DATE_EPOCH"])
localtime, gmtime, strftime = time.localtime, time.gmtime, time.strftime
time.time, time.time_ns = lambda: told, lambda: int(told * 10**9)
time.localtime = lambda at=None: localtime(told if at is None else at)
time.gmtime = lambda at=None: gmtime(told if at is None else at)
time.strftime = lambda form, at=None: strftime(form, localtime(told) if at is None else at)
class Date(datetime.date):
    @classmethod
    def today(cls):
        return cls.fromtimestamp(told)
class DateTime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(told, tz)
    @classmethod
    def today(cls):
        return cls.fromtimestamp(told)
    @classmethod
    def utcnow(cls):
        return cls.utcfromtimestamp(told)
datetime.date, datetime.datetime = Date, DateTime
"""


def digests(folder: Path, clock: Path, variables: dict[str, str], *rows: str) -> dict[str, str]:
    """Hash of the files by number of rows, and the year in which they were made, by the calendar of the child."""
    path = os.pathsep.join(filter(None, (str(clock), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS, *rows],
        env={**os.environ, **variables, "PYTHONPATH": path},
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(line.split() for line in done.stdout.splitlines())


def test_same_bytes_whatever_the_date_the_hash_seed_the_folder_and_what_was_made_before(tmp_path: Path) -> None:
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(CLOCK)
    here = {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1000000000", "LC_ALL": "C"}
    there = {"PYTHONHASHSEED": "2", "TZ": "UTC", "SOURCE_DATE_EPOCH": "4000000000", "LC_ALL": "C.UTF-8"}
    first = digests(tmp_path, tmp_path / "clock", here, "2", "5")
    second = digests(Path("/"), tmp_path / "clock", there, "5", "2")
    assert (first.pop("year"), second.pop("year")) == ("2001", "2096")
    assert first == second
    assert len(set(first.values())) == 2


def test_files_of_a_core() -> None:
    files = preset_files("any-4x4-int8")
    assert {name for name in files if "/" not in name} == {
        f"{MODULE}.v", f"{MODULE}.h", f"tb_{MODULE}.v", "test_core.py", "manifest.json", "README.txt"
    }  # fmt: skip
    assert all(text.endswith("\n") for text in files.values())


def test_manifest_lists_files_with_their_hashes() -> None:
    files = preset_files("any-4x4-int8")
    listed = json.loads(files["manifest.json"])["files"]
    assert set(listed) == set(files) - {"manifest.json"}
    for name, entry in listed.items():
        data = files[name].encode()
        assert entry == {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_manifest_ports_are_those_of_the_module_in_their_order() -> None:
    for files in (preset_files("is-12x5-uint8-int6"), array_files("any-saturate")):
        manifest = json.loads(files["manifest.json"])
        head = re.search(rf"^module {MODULE} \((.*?)^\);", files[f"{MODULE}.v"], re.M | re.S)
        assert head is not None
        found = re.findall(r"(input|output) +(?:wire|reg ) (?:\[(\d+):0\] )?(\w+)", head[1])
        ports = [(direction, int(high or 0) + 1, name) for direction, high, name in found]
        assert ports == [(p["direction"], p["width"], p["name"]) for p in manifest["ports"]]
        assert all(p["meaning"] for p in manifest["ports"])


def test_ports_of_every_module_and_pins_are_in_the_order_of_the_signature() -> None:
    text = preset_files("any-4x4-int8")[f"{MODULE}.v"]
    heads = {name: re.findall(r"^  (?:input|output) .*?(\w+),?$", head, re.M) for name, head in re.findall(
        r"^module (\w+) \((.*?)^\);", text, re.M | re.S
    )}  # fmt: skip
    top = heads[MODULE]
    streams = list(dict.fromkeys(port.rpartition("_t")[0] for port in top[2:]))
    assert top[:2] == ["clk", "rst"]
    members = GemmCore(core_parameters(preset("any-4x4-int8").config)).signature.members
    assert streams == [name for name, member in members.items() if member.is_signature]
    assert top[2:] == [
        f"{stream}_t{part}"
        for stream in streams
        for part in ("data", "keep", "last", "valid", "ready")
        if part not in ("keep", "last") or stream.endswith("_beats")
    ]
    core = heads[f"{MODULE}_core"]
    assert core[2:5] == ["command__payload", "command__valid", "command__ready"]
    for ports in heads.values():
        assert [p for p in ports if p in ("clk", "rst")] == ports[: len({"clk", "rst"} & set(ports))]
    instances = re.findall(r"^  (\w+) \w+ \(\n(.*?)^  \);", text, re.M | re.S)
    assert len(instances) > 20
    for module, pins in instances:
        assert re.findall(r"^    \.(\w+)\(", pins, re.M) == heads[module], module


def test_a_sign_is_extended_in_the_usual_way() -> None:
    text = array_files("ws-wrap")[f"{MODULE}.v"]
    assert re.search(r"\{\{\d+\{(\w+)\[\d+\]\}\}, \1\}", text)


def test_manifest_layouts_are_the_one_definition() -> None:
    manifest = json.loads(preset_files("any-4x4-int8")["manifest.json"])
    fields = {field["name"]: (field["low"], field["width"]) for field in manifest["layouts"]["COMMAND"]}
    assert fields == {name: (COMMAND[name].offset, COMMAND[name].width) for name in COMMAND.members}
    assert manifest["status"] == {status.name: status.value for status in Status}
    assert manifest["row_module"] in manifest["modules"]
    assert manifest["safe_k"] == preset("any-4x4-int8").config.safe_k


def test_header_tells_configuration_ports_and_records_but_no_path_or_date() -> None:
    text = preset_files("any-4x4-int8")[f"{MODULE}.v"]
    comment = text[: text.index("\nmodule ")]
    assert "tilewright systolic --product core --rows 4 --cols 4 --dataflow any" in comment
    assert "belongs to its user" in comment
    for port in re.findall(
        r"^ +(?:input|output) (?:wire|reg ) (?:\[\d+:0\] )?(\w+)", text[text.index(f"module {MODULE} (") :], re.M
    ):
        assert re.search(rf"^//   (?:input|output) +{port} \d", comment, re.M), port
    for name in COMMAND.members:
        assert re.search(rf"^//   \[\d+(?::\d+)?\] {name} ", comment, re.M), name
    assert not re.search(r"/tmp|/home|/root|20\d\d-\d\d", "".join(preset_files("any-4x4-int8").values()))


def test_c_header_compiles_and_agrees(tmp_path: Path) -> None:
    (tmp_path / f"{MODULE}.h").write_text(preset_files("any-4x4-int8")[f"{MODULE}.h"])
    (tmp_path / "main.c").write_text(
        f'#include <stdio.h>\n#include "{MODULE}.h"\n'
        + "int main(void) { unsigned r[TILEWRIGHT_GEMM_COMMAND_WORDS] = {0};\n"
        + "".join(
            f"r[TILEWRIGHT_GEMM_COMMAND_{n}_WORD] |= ({i + 1} & TILEWRIGHT_GEMM_COMMAND_{n}_MASK)"
            f" << TILEWRIGHT_GEMM_COMMAND_{n}_SHIFT;\n"
            for i, n in enumerate(name.upper() for name in COMMAND.members)
        )
        + 'for (int i = 3; i >= 0; i--) printf("%08x", r[i]);\nreturn TILEWRIGHT_GEMM_STATUS_OK; }\n'
    )
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-Wall", "-Werror", "-o", "main", "main.c"], cwd=tmp_path, check=True)
    word = int(subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout, 16)
    for index, name in enumerate(COMMAND.members):
        field = COMMAND[name]
        assert word >> field.offset & ((1 << field.width) - 1) == (index + 1) & ((1 << field.width) - 1)


@pytest.mark.parametrize("name", ["any-4x4-int8", "ws-8x8-int8-saturate"])
def test_module_names_start_with_the_name_of_the_design_and_signals_have_names(name: str) -> None:
    config = preset(name).config.model_copy(update={"module_name": "engine_7"})
    for module in modules(config):
        assert module.name == "engine_7" or module.name.startswith("engine_7_")
        assert "$" not in module.text.replace("$signed", ""), module.name


def test_two_designs_share_no_module() -> None:
    names = [
        {module.name for module in modules(systolic_config({"rows": 2, "cols": 2, "module_name": name}))}
        for name in ("left", "right")
    ]
    assert not names[0] & names[1]
    assert len(generate(systolic_config({"rows": 2, "cols": 2, "module_name": "left"}))) > 5


@pytest.mark.parametrize("name", ["any-4x4-int8", "ws-8x8-int8-saturate"])
def test_no_formula_and_no_code_of_the_head_is_broken(name: str) -> None:
    head = preset_files(name)[f"{MODULE}.v"].partition("\nmodule ")[0]
    for formula in formulas(preset(name).config):
        for piece in re.split("(?<=[,;]) ", formula.text):
            assert piece in head, piece
    for status in Status:
        assert f"{status.value} {status.name}" in head
    assert "1 pipeline registers" not in head
