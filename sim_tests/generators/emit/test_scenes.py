"""The program of a core's bench contains what README.txt says, and its vectors are small."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections import Counter
from functools import cache

import pytest

from tilewright.generators.config.presets import preset, preset_names
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.interface import interface, layouts
from tilewright.generators.emit.program import Program
from tilewright.generators.emit.scenes import bench_program
from tilewright.generators.emit.vectors import expected_text, sent_text
from tilewright.generators.reference.core import DATAFLOWS
from tilewright.generators.reference.records import Start, Status
from tilewright.hdl.numeric import FxFormat
from tilewright.sim_tests.drivers.core_beats import fields
from tilewright.sim_tests.system.designs import gate_designs

LARGEST = 200_000  # bytes of all vectors


@cache
def program_of(name: str) -> Program:
    config = preset(name).config
    return bench_program(config, interface(config))


def records(program: Program, stream: str, layout: str) -> list[dict[str, int]]:
    payloads = [beat.payload for beat in program.sent[stream]] or program.expected[stream]
    return [fields(layouts(program.config)[layout], payload) for payload in payloads]


@pytest.mark.parametrize("name", preset_names())
def test_commands_are_of_every_kind(name: str) -> None:
    program = program_of(name)
    commands, answers = records(program, "command", "COMMAND"), records(program, "completion", "ANSWER")
    assert len(commands) == len(answers)
    ran = [command for command, answer in zip(commands, answers, strict=True) if answer["status"] == Status.OK]
    flows = DATAFLOWS[program.config.dataflow]
    kinds = Counter((command["dataflow"], command["start"], command["region"]) for command in ran)
    assert {kind[:2] for kind in kinds} == set(itertools.product(flows, Start))
    assert {kind[2] for kind in kinds} == {0, 1}
    neighbours = {(one["dataflow"], other["dataflow"]) for one, other in itertools.pairwise(ran)}
    assert neighbours == set(itertools.product(flows, repeat=2))
    assert all({bool(command[base]) for command in ran} == {False, True} for base in ("a_base", "b_base", "c_base"))


@pytest.mark.parametrize("name", preset_names())
def test_every_status_is_among_the_answers(name: str) -> None:
    program = program_of(name)
    sinks = [sink for sink in program.expected if not sink.endswith("_beats")]
    of = {sink: Counter(r["status"] for r in records(program, sink, "ANSWER")) for sink in sinks}
    commands, transfers = of.pop("completion"), of
    refused_transfers = {Status.EMPTY, Status.OUT_OF_RANGE, Status.IN_USE, Status.LENGTH}
    of_commands = set(Status) - (refused_transfers - {Status.EMPTY})
    windows = isinstance(program.config.acc, FxFormat)  # only they have a binary point
    assert set(commands) == (of_commands if windows else of_commands - {Status.BAD_POINT})
    always = {Status.OK, Status.EMPTY, Status.OUT_OF_RANGE, Status.IN_USE}
    assert all(set(found) >= always for found in transfers.values())
    assert all(found[Status.LENGTH] >= 2 for stream, found in transfers.items() if stream != "read_c_answer")


@pytest.mark.parametrize("name", preset_names())
def test_operands_are_loaded_and_results_read_out_while_commands_run(name: str) -> None:
    """They await fewer completions than there are commands before them; tags tell the order of all."""
    program = program_of(name)
    config = program.config
    place = [stream.name for stream in interface(config).sinks].index("completion")
    given = [record["tag"] for record in records(program, "command", "COMMAND")]
    assert given == sorted(given), "no tag comes twice"
    for port in ("load_a", "load_b", "read_c"):
        beats = program.sent[f"{port}_command"]
        tags = [record["tag"] for record in records(program, f"{port}_command", "TRANSFER")]
        beside = sum(beat.after[place] < bisect(given, tag) for beat, tag in zip(beats, tags, strict=True))
        assert beside >= 3


@pytest.mark.parametrize("name", preset_names())
def test_vectors_are_small(name: str) -> None:
    program, outside = program_of(name), interface(preset(name).config)
    size = sum(len(sent_text(program.sent[stream.name], stream.width)) for stream in outside.sources)
    size += sum(len(expected_text(program.expected[stream.name], stream.width)) for stream in outside.sinks)
    assert size <= LARGEST


@pytest.mark.parametrize("name", gate_designs())
def test_every_core_has_a_program(name: str) -> None:
    config = gate_designs()[name].config
    program = bench_program(config, interface(config))
    assert max(beat.after[place] for beats in program.sent.values() for beat in beats for place in range(5)) < 256


@pytest.mark.parametrize("words", [1, 2, 3, 5])
@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "any"])
def test_scratchpads_of_a_few_words_have_one_too(words: int, dataflow: str) -> None:
    depths = {f"{side}_words": words for side in "abc"}
    config: SystolicConfig = systolic_config({"rows": 2, "cols": 3, "dataflow": dataflow, **depths})
    program = bench_program(config, interface(config))
    assert len(program.expected["completion"]) > 10
