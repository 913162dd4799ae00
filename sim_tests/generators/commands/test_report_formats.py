"""The report of formats on the command line: what it says is true, and in JSON the same."""

from __future__ import annotations

import json

import pytest

from tilewright.generators.commands.app import run
from tilewright.generators.config.presets import presets
from tilewright.generators.report import formats
from tilewright.generators.report.area import area
from tilewright.sim_tests.benchmarks.scripts import script

FEW = (("int8", "int32"), ("fp8_e4m3", "fp32"), ("fp8_e4m3", "fx32"))


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["report", "formats", *words]) == 0
    return capsys.readouterr().out


def test_the_table_and_the_document_say_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "PAIRS", FEW)
    lines = printed(capsys).splitlines()
    assert lines[0] == "one multiply-accumulate on ecp5"
    assert all(len(line) <= 100 for line in lines)
    table = {tuple(words[:2]): words[2:] for words in (line.split() for line in lines) if tuple(words[:2]) in FEW}
    document = json.loads(printed(capsys, "--json"))
    assert (document["report"], document["device"], document["pipeline"]) == ("formats", "ecp5", formats.PIPELINE)
    assert [(each["operands"], each["acc"]) for each in document["formats"]] == list(FEW)
    for each in document["formats"]:
        used, narrow = each["resources"], each["narrow"]
        assert each["lut4_eq"] == used["lut4"] + 2 * used["ccu2c"]
        numbers = (each["lut4_eq"], narrow["lut4"] + 2 * narrow["ccu2c"], used["ff"], used["dsp"], each["latency"])
        words = table[each["operands"], each["acc"]]
        assert words[:5] == [f"{number:,}" for number in numbers]
        assert " ".join(words[5:]) == each["promise"]
        assert each["latency"] == 2 + each["add_latency"]


def test_what_is_promised_is_what_holds(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "PAIRS", FEW)
    integers, rounded, window = json.loads(printed(capsys, "--json"))["formats"]
    assert (integers["safe_k"], integers["window"], integers["promise"]) == (131_071, None, "exact to K = 131,071")
    assert (rounded["safe_k"], rounded["window"], rounded["promise"]) == (None, None, "one rounding a step")
    # Products of e4m3 are multiples of 2^-18 below 2^18: 36 bits and a sign; of one product 4 + 4 bits and a sign.
    assert (window["safe_k"], window["window"], window["promise"]) == (None, [32, 9, 37], "any order, 32 of 37 bits")


def test_an_element_is_the_one_of_the_report_of_area(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "PAIRS", FEW[2:])
    config = formats.format_config("fp8_e4m3", "fx32")
    (element,) = area(config, "ecp5", only=("PE",))
    (found,) = formats.format_reports()
    assert found.resources == element.resources


def test_elements_are_as_pipelined_as_those_of_the_presets() -> None:
    configs = [each.config for each in presets() if each.config.dataflow == "ws" and each.config.vector == 1]
    assert {str(c.a) for c in configs} > {"int8", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2"}
    for c in configs:
        same = formats.format_config(str(c.a), "int32" if c.integers else str(c.acc))
        assert (c.pipeline, c.add_latency) == (same.pipeline, same.add_latency)


def test_what_is_kept_has_its_goals(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = script("formats")
    monkeypatch.setattr(formats, "PAIRS", FEW)
    monkeypatch.setattr(bench, "MOST", {"int8 into int32": 1})
    kept = bench.figures(formats.format_reports())
    assert {figure.of for figure in kept} == {"int8 into int32", "fp8_e4m3 into fp32", "fp8_e4m3 into fx32"}
    assert [(figure.of, figure.what) for figure in kept if not figure.met] == [("int8 into int32", "LUT4-eq")]


def test_goals_are_those_of_what_is_measured() -> None:
    bench = script("formats")
    assert {*bench.MOST, *bench.MOST_NARROW} <= {f"{a} into {acc}" for a, acc in formats.PAIRS}
