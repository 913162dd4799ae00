"""Verilator's opinion on a design, with all warnings on."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.generators.scratch import scratch_folder
from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.tools import verilator


def lint(sources: Mapping[str, str], top: str, *, waivers: str = "", timing: bool = False) -> list[str]:
    """Warnings and errors of ``verilator --lint-only -Wall``, one line each; an empty list is a clean design.

    Args:
        sources: Verilog, file name to text.
        top: top module.
        waivers: text of a Verilator configuration file, e.g. ``lint_off -rule UNUSEDSIGNAL -file "*" -match "*'x'*"``.
        timing: the sources wait for delays and edges, as benches do.
    """
    with scratch_folder("lint") as folder, Children() as children:
        for name, text in sources.items():
            (folder / name).write_text(text)
        names = list(sources)
        if waivers:
            (folder / "waivers.vlt").write_text(f"`verilator_config\n{waivers}\n")
            names.insert(0, "waivers.vlt")
        tool = verilator()
        flags = ["--lint-only", "-Wall", "-Wno-fatal", *(["--timing"] if timing else [])]
        command = [*tool.command, *flags, "--top-module", top, *names]
        done = children.run(command, cwd=folder, env=tool.environment)
    found = [line for line in done.output.splitlines() if line.startswith(("%Warning", "%Error"))]
    if done.code != 0 and not found:
        found = [f"%Error: verilator ended with code {done.code}: {done.output.strip()}"]
    return found
