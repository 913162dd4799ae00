"""The report of elementary functions on the command line: what it says is true, and in JSON the same."""

from __future__ import annotations

import json

import pytest

from tilewright.generators.commands.app import run
from tilewright.generators.report import functions
from tilewright.hdl.arith.functions import Relu, function_unit
from tilewright.hdl.numeric.functions import ERROR, FUNCTIONS


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["report", "functions", *words]) == 0
    return capsys.readouterr().out


def test_the_table_has_a_line_for_each_function(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys).splitlines()
    assert lines[0] == "functions of bf16, results in bf16"
    names = [line[:10].strip() for line in lines[4:]]
    assert names == [*FUNCTIONS, "divide", "relu", "relu6", "leaky relu"]
    assert all(len(line) <= 80 for line in lines)


def test_the_document_is_that_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(printed(capsys, "--json"))
    assert (document["report"], document["format"]) == ("functions", "bf16")
    found = {each["name"]: each for each in document["functions"]}
    for line in printed(capsys).splitlines()[4:]:
        each = found[line[:10].strip()]
        cells = line[10:].replace(" x ", "x").replace(" / ", "/").split()
        assert float(cells[1]) == each["error"] and int(cells[-1]) == each["latency"]
        assert cells[0] == (f"{each['entries']}x{each['entry_bits']}" if each["entries"] else "-")
        assert [int(cell.replace(",", "")) for cell in cells[3:5]] == [each["not_nearest"], each["operands"]]
    for name in FUNCTIONS:
        assert 0.5 < found[name]["error"] <= ERROR and 0 < found[name]["not_nearest"] < 2_000
    for name in ("divide", "leaky relu"):
        assert (found[name]["error"], found[name]["not_nearest"]) == (0.5, 0)
    assert found["relu"]["error"] == found["relu6"]["error"] == 0


def test_areas_are_shown_for_a_device(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    reports = [each for each in functions.function_reports() if each.name in ("reciprocal", "relu")]
    monkeypatch.setattr(functions, "function_reports", lambda: reports)
    monkeypatch.setattr(
        functions, "function_units", lambda: {"reciprocal": function_unit("reciprocal"), "relu": Relu()}
    )
    lines = printed(capsys, "--device", "ecp5").splitlines()
    table = {line.split()[0]: line.split()[1:] for line in lines[lines.index("area on ecp5") + 3 :]}
    document = json.loads(printed(capsys, "--device", "ecp5", "--json"))
    assert document["device"] == "ecp5"
    for each in document["functions"]:
        used = each["resources"]
        assert table[each["name"]] == [str(used[cell]) for cell in ("lut4_eq", "ff", "dsp", "ebr")]
        assert used["lut4_eq"] == used["lut4"] + 2 * used["ccu2c"]
    # relu: a register for every bit but the sign, which is always 0.
    assert table["reciprocal"][2:] == ["1", "0"] and table["relu"][1:] == ["15", "0", "0"]


def test_another_device_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "functions", "--device", "ecp6"]) == 2
    assert "device 'ecp6' does not exist; nearest is 'ecp5'" in capsys.readouterr().err
