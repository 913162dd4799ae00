"""Runs plain Verilog benches under Icarus Verilog: a four-state simulator, and a second opinion on the language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilewright.generators.scratch import scratch_folder
from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.errors import BuildFailed, InterfaceError, SimulationFailed
from tilewright.sim_tests.harness.tools import icarus


@dataclass(frozen=True)
class IcarusResult:
    """What the compiler complained about, line by line, and what the bench printed."""

    diagnostics: tuple[str, ...]
    output: str


def compile_icarus(
    folder: Path, sources: Sequence[str], top: str, *, standard: str = "2005-sv", children: Children
) -> tuple[Path, tuple[str, ...]]:
    """Compile files of a folder with all warnings on; returns the program for ``vvp`` and the diagnostics."""
    program = folder / f"{top}.vvp"
    command = [*icarus().iverilog.command, f"-g{standard}", "-Wall", "-s", top, "-o", str(program), *sources]
    done = children.run(command, cwd=folder)
    if done.code != 0:
        raise BuildFailed(f"Icarus Verilog refused {top}:\n{done.output.strip()}")
    return program, tuple(done.output.splitlines())


def run_icarus(
    sources: Mapping[str, str],
    top: str,
    *,
    files: Mapping[str, bytes] | None = None,
    arguments: Sequence[str] = (),
    standard: str = "2005-sv",
    timeout: float | None = 600,
) -> IcarusResult:
    """Compile and run a bench.

    Args:
        sources: Verilog, file name to text, compiled in this order.
        top: the bench's module.
        files: files that the bench finds in its working folder, e.g. vectors.
        arguments: plusargs.
        standard: language, as ``iverilog -g`` names it.
        timeout: seconds of wall time for the run.

    Raises:
        BuildFailed: the compiler refused the sources.
        SimulationFailed: the bench ended with an error code (``$fatal``) or did not end.
    """
    for name in (*sources, *(files or {})):
        if Path(name).name != name or not name:
            raise InterfaceError(f"file names must be plain, got {name!r}")
    with scratch_folder("icarus") as folder, Children() as children:
        for name, text in sources.items():
            (folder / name).write_text(text)
        for name, data in (files or {}).items():
            (folder / name).write_bytes(data)
        program, diagnostics = compile_icarus(folder, list(sources), top, standard=standard, children=children)
        # -n: $stop ends the run instead of waiting for a command.
        command = [*icarus().vvp.command, "-n", str(program), *arguments]
        done = children.run(command, cwd=folder, timeout=timeout)
    if done.timed_out:
        raise SimulationFailed(f"{top} under Icarus Verilog: no end after {timeout} s of wall time\n{done.output}")
    if done.code != 0:
        raise SimulationFailed(f"{top} under Icarus Verilog: ended with code {done.code}\n{done.output.strip()}")
    return IcarusResult(diagnostics, done.output)
