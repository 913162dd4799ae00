"""``tilewright demo``."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tilewright.generators.commands.output_folder import OutputFolder
from tilewright.generators.commands.program import command_line, replay_line
from tilewright.generators.commands.screen import JsonOption, progress
from tilewright.generators.commands.simulation import simulating
from tilewright.generators.commands.tables import Column, mark, percent, show
from tilewright.generators.config.presets import Preset
from tilewright.generators.config.presets import preset as find_preset
from tilewright.generators.config.systolic import systolic_config

if TYPE_CHECKING:
    from rich.text import Text

    from tilewright.generators.demo.digits import Digits
    from tilewright.sim_tests.demo.network_run import NetworkRun
    from tilewright.sim_tests.harness import Build

PRESETS = (
    "ws-16x16-int8", "os-16x16-int8", "is-16x16-int8", "ws-16x16-int4", "ws-8x8-bf16", "ws-8x8-fp8-e4m3",
)  # fmt: skip
EXTENTS = {"max_m": 360, "max_n": 32, "max_k": 64}
"""What scratchpads must hold: all test images, and the larger layer."""


@dataclass(frozen=True)
class Row:
    """One configuration: how many images the reference and the RTL read right, and how the simulator was made."""

    preset: str
    reference: int
    run: NetworkRun
    build: Build


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the generated files, one folder a core.")
    ] = Path("build/verilog"),
    as_json: JsonOption = False,
) -> None:
    """Generate six cores and run a digit-reading network on them, comparing every accumulator.

    All 360 test images of scikit-learn's handwritten digits go through a 64-32-10 network: products and biases on the
    simulated RTL, of four 16x16 integer cores and two 8x8 float cores. Requantisation of integers, ReLU and narrowing
    of floats, and argmax are in the reference. Exit code 1 when a single bit or cycle differs.
    """
    start = time.monotonic()
    with simulating():
        training, test = _prepare()
        presets = [_large_enough(find_preset(name)) for name in PRESETS]
        files = _generate(presets, out)
        in_floats, rows = _run(presets, files, training, test)
    if as_json:
        typer.echo(json.dumps(_document(in_floats, len(test), rows, out), indent=2))
    else:
        _print(in_floats, len(test), rows, out)
        typer.echo(f"all in {time.monotonic() - start:.0f} s")
    if not all(row.run.right_in_every_bit for row in rows):
        raise typer.Exit(1)


def _prepare() -> tuple[Digits, Digits]:
    """(training images, test images). What is missing is told here, before anything is written."""
    from tilewright.generators.demo.digits import digits
    from tilewright.sim_tests.harness import tools

    tools.verilator()
    tools.compiler()
    return digits()


def _large_enough(found: Preset) -> Preset:
    """``found``; one of floats, which are small for the sake of tests, with scratchpads that hold the network."""
    if found.config.integers is not None:
        return found
    return replace(found, config=systolic_config(found.config.model_dump() | EXTENTS))


def _generate(presets: Sequence[Preset], out: Path) -> list[Mapping[str, str]]:
    """Generates all presets, each into its folder below ``out``."""
    found: list[Mapping[str, str]] = []
    with ExitStack() as stack, progress().status("") as status:
        folders = [stack.enter_context(OutputFolder("-o", out / preset.name)) for preset in presets]
        typer.echo(f"writing Verilog to {out.resolve()}, one folder a core", err=True)
        for folder in folders:
            folder.prepare()
        status.update("loading the generator")
        from tilewright.generators.emit import generate

        for number, (preset, folder) in enumerate(zip(presets, folders, strict=True), start=1):
            status.update(f"generating {preset.name} ({number} of {len(presets)})")
            found.append(generate(preset.config))
            folder.publish(found[-1])
    return found


def _run(
    presets: Sequence[Preset], files: Sequence[Mapping[str, str]], training: Digits, test: Digits
) -> tuple[int, list[Row]]:
    """(test images that the network in floats reads right, a row for each preset)."""
    from tilewright.generators.demo.coded import coded
    from tilewright.generators.demo.network import trained_network
    from tilewright.sim_tests.demo.network_run import run_network
    from tilewright.sim_tests.harness.build_many import build_many
    from tilewright.sim_tests.verify.subject import generated

    subjects = [generated(p.name, p.config, text) for p, text in zip(presets, files, strict=True)]
    builds = build_many(
        [subject.spec() for subject in subjects], names=[subject.name for subject in subjects], console=progress()
    )
    network = trained_network()
    rows = []
    with progress().status("") as status:
        for subject, build in zip(subjects, builds, strict=True):
            status.update(f"{subject.name}: {len(test)} images through two layers")
            own = coded(network, training, subject.config)
            reference = int((own.classify(test.images) == test.labels).sum())
            rows.append(Row(subject.name, reference, run_network(subject, build, own, test), build))
    return int((network.classify(test.images) == test.labels).sum()), rows


def _document(in_floats: int, images: int, rows: Sequence[Row], out: Path) -> dict[str, Any]:
    return {
        "images": images,
        "right_in_floats": in_floats,
        "passed": all(row.run.right_in_every_bit for row in rows),
        "configurations": [
            {
                "preset": row.preset,
                "verilog": str(_verilog(row, out)),
                "right_in_reference": row.reference,
                "right_on_rtl": row.run.right,
                "accumulators_compared": sum(layer.accumulators.size for layer in row.run.layers),
                "accumulators_differing": sum(layer.differing for layer in row.run.layers),
                "cycles": row.run.cycles,
                "predicted_cycles": row.run.predicted,
                "utilisation": round(row.run.utilisation, 4),
                "cycles_per_second": round(row.run.cycles_per_second),
                "build_seconds": dict(row.build.seconds),
                "build_cached": row.build.cached,
                "wrong": [layer.reason for layer in row.run.layers if layer.reason],
                "replay": [replay_line(layer.recording) for layer in row.run.layers if layer.recording],
            }
            for row in rows
        ],
    }


def _figures(row: Row, in_floats: int, images: int) -> dict[str, str | Text]:
    """What the table says of a configuration."""
    run, layers = row.run, row.run.layers
    return {
        "": mark(run.right_in_every_bit),
        "right in float64": percent(in_floats / images),
        "in reference": percent(row.reference / images),
        "on RTL": percent(run.right / images),
        "accumulators": f"{sum(layer.accumulators.size for layer in layers):,}",
        "that differ": f"{sum(layer.differing for layer in layers):,}",
        "cycles": f"{run.cycles:,}",
        "predicted": f"{run.predicted:,}",
        "utilisation": percent(run.utilisation),
        "cycles/s": f"{run.cycles_per_second:,.0f}",
        "build seconds": "cached" if row.build.cached else f"{sum(row.build.seconds.values()):.1f}",
    }


def _print(in_floats: int, images: int, rows: Sequence[Row], out: Path) -> None:
    columns = (Column("configuration"), *(Column(row.preset, right=True) for row in rows))
    figures = [_figures(row, in_floats, images) for row in rows]
    lines = [(name, *(figure[name] for figure in figures)) for name in figures[0]]
    show(columns, lines, f"{images} handwritten digits, a 64-32-10 network")
    for row in rows:
        for layer in row.run.layers:
            if layer.reason:
                typer.echo(f"{row.preset} failed: {layer.reason}")
            if layer.recording:
                typer.echo(f"replay: {replay_line(layer.recording)}")
    typer.echo("Verilog to read, and to use:")
    for row in rows:
        typer.echo(f"  {_verilog(row, out)}")
    typer.echo(f"verify one of them: {command_line('verify', out / rows[0].preset)}")


def _verilog(row: Row, out: Path) -> Path:
    return out / row.preset / f"{row.run.config.module_name}.v"
