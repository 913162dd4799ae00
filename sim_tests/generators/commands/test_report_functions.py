"""The report of elementary functions on the command line: what it says is true, and in JSON the same."""

from __future__ import annotations

import json

import pytest

from tilewright.generators.commands.app import run
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
