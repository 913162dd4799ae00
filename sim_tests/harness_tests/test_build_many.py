"""Builds side by side, and the sums of a session."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from tilewright.sim_tests.harness import BuildFailed, BuildSpec, Interface, Limits, Run, pack
from tilewright.sim_tests.harness.build_many import build_many
from tilewright.sim_tests.harness.ledger import VARIABLE, count, count_tests, entries, summary
from tilewright.sim_tests.harness_tests.designs import buffer, build_buffer, sink, source


def spec(width: int) -> BuildSpec:
    return BuildSpec(buffer(width), Interface("buffer", (source("i", width), sink("o", width))))


def screen(*, terminal: bool) -> tuple[Console, io.StringIO]:
    text = io.StringIO()
    return Console(file=text, force_terminal=terminal, width=100), text


@pytest.mark.usefixtures("no_compiler")
def test_all_are_built_in_order_and_equal_ones_once() -> None:
    console, text = screen(terminal=False)
    made = build_many([spec(w) for w in (3, 5, 3, 9)], console=console)
    assert [build.interface.streams[0].bits for build in made] == [3, 5, 3, 9]
    assert made[0] is made[2] and not made[1].cached
    lines = text.getvalue().splitlines()
    assert len(lines) == 3 and all(line.startswith("built buffer: verilator ") for line in lines)
    assert all(build.cached for build in build_many([spec(w) for w in (3, 5)], console=console))
    assert len(text.getvalue().splitlines()) == 3  # nothing to tell about what was there


@pytest.mark.usefixtures("no_compiler")
def test_a_terminal_shows_what_is_being_built() -> None:
    console, text = screen(terminal=True)
    build_many([spec(4)], console=console)
    assert "buffer (" in text.getvalue() and "1/1" in text.getvalue()


@pytest.mark.usefixtures("own_cache")
def test_the_first_failure_is_raised() -> None:
    broken = BuildSpec({"broken.v": "module broken (input clk input rst); endmodule"}, Interface("broken"))
    with pytest.raises(BuildFailed, match="Verilator refused broken"):
        build_many([broken, spec(6)], console=screen(terminal=False)[0])


def test_the_ledger_sums_over_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_buffer()  # is in the cache from here on
    monkeypatch.setenv(VARIABLE, str(tmp_path / "sums"))
    beats = pack(range(100), 8)
    made = build_buffer()
    Run(made).send("i", beats).expect("o", beats).limits(Limits(linger=9)).execute()
    stalled = Run(made).send("i", beats, stall=0.3).expect("o", 100, stall=0.3).execute()
    count_tests(3, 1.5)
    count(compared_outputs=5)
    count(compared_outputs=7, commands=2)
    build, first, second, tests, *_ = entries()
    assert build["kind"] == "build" and build["cached"]
    assert (first["cycles"], first["beats"], first["compared"], first["stalls"]) == (110, 200, 100, 0)
    assert second["compared"] == 0
    assert second["stalls"] == stalled["i"].stalled + stalled["i"].refused + stalled["o"].stalled > 0
    assert tests["tests"] == 3
    text = summary([*entries(), {**build, "cached": False, "seconds": {"verilator": 1.0, "C++": 2.25, "link": 0.5}}])
    assert text.splitlines()[0] == (
        "designs: 1 distinct, 1 built (verilator 1.0 s, C++ 2.2 s, link 0.5 s), 1 times found in the cache"
    )
    assert text.splitlines()[1].startswith(f"runs: 2, {110 + stalled.cycles} cycles in ")
    assert text.splitlines()[1].endswith(f"400 beats transferred, 100 compared, {second['stalls']} stall cycles")
    assert text.splitlines()[2:] == ["cocotb: 3 tests in 1.5 s", "commands: 2", "compared outputs: 12"]
    assert [json.loads(line) for line in (tmp_path / "sums").read_text().splitlines()] == entries()
