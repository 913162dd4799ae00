"""The reports on the command line: tables, JSON, and input that is refused in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tilewright.generators.commands.app import run


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["report", *words]) == 0
    return capsys.readouterr().out


def test_cycles_recommend_a_dataflow(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "cycles", "100", "37", "53")
    assert "recommended: is, 1,099 cycles" in text
    assert all(number in text for number in ("1,742", "1,082", "69.7%"))


def test_cycles_in_json_are_those_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "cycles", "64", "64", "64", "--preset", "ws-16x16-int8", "--json"))
    assert (found["report"], found["config"]["dataflow"]) == ("cycles", "ws")
    (layer,) = found["layers"]
    assert layer["recommended"] == "ws"
    assert {row["dataflow"]: row["scale_sim"] for row in layer["dataflows"]} == {"ws": 1759, "os": 1503, "is": 1759}
    assert found["total"] == {"cycles": layer["cycles"], "macs": 64**3}


def test_auto_is_a_core_of_all_dataflows(capsys: pytest.CaptureFixture[str]) -> None:
    auto = json.loads(printed(capsys, "cycles", "9", "9", "9", "--dataflow", "auto", "--json"))
    assert auto["config"]["dataflow"] == "any"


def test_layers_of_a_network_are_summed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("Layer, M, N, K,\nqkv, 128, 96, 64,\nout, 128, 64, 32,\n")
    text = printed(capsys, "cycles", "--topology", str(tmp_path / "net.csv"))
    found = json.loads(printed(capsys, "cycles", "--topology", str(tmp_path / "net.csv"), "--json"))
    assert [layer["name"] for layer in found["layers"]] == ["qkv", "out"]
    assert f"total: {sum(layer['cycles'] for layer in found['layers']):,} cycles" in text


def test_what_does_not_fit_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for report in ("cycles", "movement"):
        text = printed(capsys, report, "5000", "5000", "50")
        assert "the scratchpads do not hold it" in text
        assert "recommended: " not in text and "none is recommended" in text


def test_only_what_the_core_can_do_is_recommended(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("100", "37", "53", "--dataflow", "os")
    text = printed(capsys, "cycles", *words)
    assert "recommended: os, 1,173 cycles, the one dataflow of this core" in text
    assert "this core cannot do is; a core of that dataflow would take 1,099" in text
    assert [line.split()[:3] for line in text.splitlines() if line[:3] in ("ws ", "os ", "is ")] == [
        ["ws", "no", "12"], ["os", "*", "yes"], ["is", "no", "28"],
    ]  # fmt: skip
    movement = json.loads(printed(capsys, "movement", "256", "64", "512", "--dataflow", "ws", "--json"))
    assert movement["recommended"] == "ws"
    assert [each["this_core"] for each in movement["dataflows"]] == [True, False, False]


def test_movement_recommends_a_dataflow(capsys: pytest.CaptureFixture[str]) -> None:
    assert "recommended: os" in printed(capsys, "movement", "256", "64", "256")
    found = json.loads(printed(capsys, "movement", "16", "16", "64", "--json"))
    assert found["recommended"] == "os"
    assert found["dataflows"][1]["per_mac"]["a_values"] == found["dataflows"][1]["a_values"] / 16**2 / 64


def test_area_of_an_array_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("area", "--product", "array", "--rows", "1", "--cols", "2", "--dataflow", "ws")
    text = printed(capsys, *words)
    assert {"LUT4-eq", "per PE"} <= set(re.findall(r"LUT4-eq|per PE", text))
    assert re.findall(r"^( *(?:array|PE|rest of array)) ", text, re.M) == ["array", "  PE", "  rest of array"]
    found = json.loads(printed(capsys, *words, "--json"))
    parts = {part["name"]: part for part in found["parts"]}
    assert parts["array"]["resources"]["dsp"] == parts["array"]["elements"] == 2
    assert parts["array"]["remembered"], "mapped a moment ago"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("cycles",), "M, N and K must be given, three whole numbers 1..65535, got none; for example 64 64 64"),
        (("cycles", "5", "6"), "M, N and K must be given, three whole numbers 1..65535, got 5 6; for example "),
        (("cycles", "0", "1", "1"), "M must be a whole number 1..65535, got 0; nearest legal value is 1"),
        (("cycles", "1", "1.5", "1"), "N must be a whole number 1..65535, got '1.5'; nearest legal value is 2"),
        (("cycles", "1", "1", "70000"), "K must be a whole number 1..65535, got 70000; nearest legal value is 65535"),
        (("cycles", "1", "1", "9" * 5000), "K must be a whole number 1..65535, got '999"),
        (("movement", "x", "1", "1"), "M must be a whole number 1..65535, got 'x'"),
        (("cycles", "1", "1", "1", "--topology", "x.csv"), "--topology must not be given together with M N K"),
        (("cycles", "--topology", "none.csv"), "topology file none.csv does not exist"),
        (("cycles", "1", "1", "1", "--dataflow", "xs"), "dataflow must be one of ws, os, is, any, got 'xs'"),
        (("area", "--device", "ecp6"), "device 'ecp6' does not exist; nearest is 'ecp5'"),
        (("area", "--rows", "200", "--cols", "200"), "--force must be given for more than 16384 multipliers"),
        (("cycles", "1", "1", "1", "--preset", "ws-16x16"), "preset 'ws-16x16' does not exist"),
        (("cycles", "1", "1", "1", "--preset", "a", "--config", "b"), "must not be given together"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert run(["report", *words]) == 2
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.err.count("\n") == 1 and told.out == ""


def test_cores_show_waves_and_what_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    engine = ("--rows", "4", "--cols", "4", "--bus-bits", "64", "--a-words", "96", "--b-words", "32", "--c-words", "24")
    text = printed(capsys, "cores", "60", "4", "16", *engine)
    assert text.startswith("4 cores, 4x4 ws, 60 x 4 x 16\n")
    rows = {line.split("  ")[0]: line.split() for line in text.splitlines()[-3:]}
    assert list(rows) == ["one core", "its tiles, in waves", "planned"]
    found = json.loads(printed(capsys, "cores", "60", "4", "16", *engine, "--cores", "3", "--json"))
    assert (found["report"], found["config"]["cores"]) == ("cores", 3)
    tiles = [(way["tiles"], way["waves"], way["last_wave"]) for way in found["ways"]]
    assert tiles == [(5, 5, 1), (5, 2, 2), (3, 1, 3)]
    assert found["ways"][2]["speedup"] > found["ways"][1]["speedup"] > 1
