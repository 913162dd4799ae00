"""``tilewright verify``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tilewright.generators.commands.output_file import check_writable
from tilewright.generators.commands.program import replay_line
from tilewright.generators.commands.screen import JsonOption, progress
from tilewright.generators.commands.simulation import simulating
from tilewright.generators.commands.tables import Column, counted, mark, show
from tilewright.generators.config.errors import ConfigError, must_be, unknown
from tilewright.generators.config.rules import Whole
from tilewright.generators.whole_file import write_whole

if TYPE_CHECKING:
    from rich.text import Text

    from tilewright.sim_tests.harness import Build
    from tilewright.sim_tests.verify.engine_subject import EngineSubject
    from tilewright.sim_tests.verify.outcome import Outcome
    from tilewright.sim_tests.verify.replay import Replayed
    from tilewright.sim_tests.verify.subject import Subject
    from tilewright.sim_tests.verify.tests import Test

_SEED = Whole(1, 2**31 - 1)
NAMES = (
    "smoke", "ragged", "sums", "stalls", "refusals", "in-use", "order", "rates", "back-to-back", "cycles", "reset",
    "random",
)  # fmt: skip
"""Of the tests, told here because to import them takes a simulator's tools."""


def verify(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Output folder of tilewright systolic or engine.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", metavar="NAME", help="Verify a preset instead, generated now.")
    ] = None,
    seed: Annotated[str, typer.Option("--seed", metavar="1..2147483647", help="Decides everything random.")] = "1",
    tests: Annotated[
        str | None,
        typer.Option(
            "--tests",
            metavar="NAMES",
            help=f"Only these tests, separated by commas: {', '.join(NAMES)}; of an engine there is random.",
        ),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="Run a recorded failure again, with a waveform.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML as well.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a generated core or engine, and compare all it does with the reference model: values, answers, cycles.

    The Verilog in the folder is simulated as it is. Exit code 1 when something differs; each failed test then prints
    a line that runs it again and draws its waveform.
    """
    if sum(given is not None for given in (folder, preset, replay)) != 1:
        raise ConfigError("verify must be given one of DIR, --preset NAME and --replay FILE")
    with simulating():
        if replay is not None:
            _replay(replay, as_json=as_json)
        else:
            _verify(folder, preset, _number(seed), tests, junit, as_json=as_json)


def _verify(
    folder: Path | None, preset: str | None, seed: int, tests: str | None, junit: Path | None, *, as_json: bool
) -> None:
    from tilewright.sim_tests.verify.junit import junit as junit_text

    if junit is not None:
        check_writable("--junit", junit)
    subject = _subject(folder, preset)
    build, outcomes = _run(subject, _names(subject, tests), seed)
    if junit is not None:
        write_whole(junit, junit_text(subject.name, seed, outcomes))
    if as_json:
        typer.echo(json.dumps(_summary(subject, seed, build, outcomes), indent=2))
    else:
        _print(subject, seed, outcomes)
    if not all(outcome.passed for outcome in outcomes):
        raise typer.Exit(1)


def _subject(folder: Path | None, preset: str | None) -> Subject | EngineSubject:
    from tilewright.sim_tests.verify.engine_subject import EngineSubject
    from tilewright.sim_tests.verify.subject import from_folder, generated

    if folder is not None:
        return from_folder(folder)
    from tilewright.generators.config.presets import engine_preset, engine_preset_names
    from tilewright.generators.config.presets import preset as find_preset
    from tilewright.generators.emit import generate

    assert preset is not None
    if preset in engine_preset_names():
        from tilewright.generators.emit.engine_files import engine_sources

        engine = engine_preset(preset)
        return EngineSubject(preset, engine.config, engine_sources(engine.config))
    found = find_preset(preset)
    return generated(found.name, found.config, generate(found.config))


def _run(subject: Subject | EngineSubject, names: Sequence[str], seed: int) -> tuple[Build, list[Outcome]]:
    """Builds and runs; on a terminal a line tells what is being done."""
    from tilewright.sim_tests.harness.build_many import build_many
    from tilewright.sim_tests.verify.engine_subject import EngineSubject
    from tilewright.sim_tests.verify.engine_tests import run_engine_tests
    from tilewright.sim_tests.verify.outcome import run_tests

    (build,) = build_many([subject.spec()], names=[subject.name], console=progress())
    with progress().status("") as status:

        def begins(test: Test) -> None:
            status.update(f"{test.name}: {test.shows}")

        if isinstance(subject, EngineSubject):
            return build, run_engine_tests(subject, names, seed, begins)
        return build, run_tests(subject, build, names, seed, begins)


def _number(word: str) -> int:
    number = _SEED.read(word)
    if number is None:
        raise ConfigError(must_be("seed", _SEED.text, word, _SEED.nearest(word)))
    return number


def _names(subject: Subject | EngineSubject, tests: str | None) -> list[str]:
    from tilewright.sim_tests.verify.engine_subject import EngineSubject
    from tilewright.sim_tests.verify.engine_tests import ENGINE_TESTS
    from tilewright.sim_tests.verify.tests import TESTS

    known = ENGINE_TESTS if isinstance(subject, EngineSubject) else TESTS
    wanted = list(known) if tests is None else [name.strip() for name in tests.split(",")]
    for name in wanted:
        if name not in known:
            raise ConfigError(unknown("test", name, known))
    return list(dict.fromkeys(wanted))


def _summary(subject: Subject | EngineSubject, seed: int, build: Build, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "subject": subject.name,
        "edited": list(subject.edited),
        "seed": seed,
        "passed": all(outcome.passed for outcome in outcomes),
        "build": {"cached": build.cached, "seconds": dict(build.seconds)},
        "tests": [
            {
                "name": outcome.test.name,
                "passed": outcome.passed,
                "commands": outcome.commands,
                "compared": outcome.compared,
                "cycles_compared": outcome.points,
                "refused": outcome.refused,
                "stall_cycles": outcome.stalls,
                "cycles": outcome.cycles,
                "seconds": round(outcome.seconds, 3),
                "reason": outcome.reason,
                "replay": replay_line(outcome.recording) if outcome.recording else None,
            }
            for outcome in outcomes
        ],
    }


def _print(subject: Subject | EngineSubject, seed: int, outcomes: Sequence[Outcome]) -> None:
    headings = ("commands", "values\ncompared", "cycles\ncompared", "refused", "stall\ncycles", "seconds")
    columns = (Column(""), Column("test"), *(Column(heading, right=True) for heading in headings))
    rows: list[tuple[str | Text, ...]] = []
    for o in outcomes:
        numbers = [f"{number:,}" for number in (o.commands, o.compared, o.points, o.refused, o.stalls)]
        rows.append((mark(o.passed), o.test.name, *numbers, f"{o.seconds:.1f}", o.test.shows))
    show((*columns, Column("what it shows", prose=True, spare=True)), rows, f"{subject.name}, seed {seed}")
    for name in subject.edited:
        typer.echo(f"{name} is not as it was generated; it was verified as it is")
    values, times, stalls = (sum(getattr(o, name) for o in outcomes) for name in ("compared", "points", "stalls"))
    timed = f" and {counted(times, 'command time')}, over {counted(stalls, 'stall cycle')}" if times else ""
    failed = sum(not o.passed for o in outcomes)
    typer.echo(
        f"{counted(len(outcomes), 'test')}, {failed} failed; compared {counted(values, 'value')}{timed}; seed {seed}"
    )
    for outcome in outcomes:
        if not outcome.passed:
            typer.echo(f"{outcome.test.name} failed: {outcome.reason}")
            if outcome.recording:
                typer.echo(f"replay: {replay_line(outcome.recording)}")


def _replay(file: Path, *, as_json: bool) -> None:
    from tilewright.sim_tests.verify.replay import replay_failure

    done = replay_failure(file)
    if as_json:
        told = {"recorded": done.recorded, "reason": done.reason, "vcd": str(done.vcd), "gtkw": str(done.gtkw)}
        typer.echo(json.dumps(told, indent=2))
    else:
        _tell(done)
    if done.reason:
        raise typer.Exit(1)


def _tell(done: Replayed) -> None:
    if done.note is not None:
        typer.echo(f"{done.note.subject}, test {done.note.test}, seed {done.note.seed}")
    typer.echo(f"failed again: {done.reason}" if done.reason else f"passed now; recorded because: {done.recorded}")
    typer.echo(f"waveform: {done.vcd}")
    typer.echo(f"open with: {shlex.join(['gtkwave', str(done.gtkw)])}")
