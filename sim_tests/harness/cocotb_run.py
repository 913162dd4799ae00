"""Runs cocotb tests on a build made with ``cocotb=True``.

cocotb's own runner makes every signal of a design visible to the simulator interface, which forbids most
optimisation; here only those of the top module are, so tests reach ports and nothing below.
"""

from __future__ import annotations

import os
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tilewright.generators.scratch import scratch_folder
from tilewright.sim_tests.harness import ledger
from tilewright.sim_tests.harness.build import Build, make
from tilewright.sim_tests.harness.children import Children, Finished
from tilewright.sim_tests.harness.errors import HarnessError, InterfaceError, SimulationFailed


@dataclass(frozen=True)
class CocotbResult:
    """Tests of one run.

    Attributes:
        passed: names of the tests that passed.
        skipped: names of the tests that were skipped.
        log: what simulator and tests printed.
        seconds: wall time of the whole process.
    """

    passed: tuple[str, ...]
    skipped: tuple[str, ...]
    log: str
    seconds: float

    @property
    def count(self) -> int:
        """Tests that were run."""
        return len(self.passed)


def run_cocotb(
    build: Build,
    modules: str | Sequence[str],
    *,
    seed: int = 1,
    only: str | None = None,
    python_path: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
    log: Path | None = None,
    waves: Path | None = None,
    timeout: float | None = None,
) -> CocotbResult:
    """Run the tests of one or more modules.

    Args:
        build: a build with ``cocotb=True``.
        modules: importable names of the test modules.
        seed: 1 .. 2^31-1, for initial register values and for cocotb's random numbers.
        only: regular expression on test names.
        python_path: folders that are searched for modules first.
        environment: further variables for the tests.
        log: file that gets the output; written on success and on failure.
        waves: VCD file to write; makes, and uses, a slower build.
        timeout: seconds of wall time.

    Raises:
        SimulationFailed: a test failed, none was run, or the simulation broke off.
    """
    if not build.spec.cocotb:
        raise InterfaceError(f"{build.interface.top} was not built for cocotb; build it with cocotb=True")
    if not 1 <= seed < 2**31:
        raise InterfaceError(f"seed must be 1..{2**31 - 1}, got {seed}; nearest is {min(max(seed, 1), 2**31 - 1)}")
    names = [modules] if isinstance(modules, str) else list(modules)
    if waves is not None and not build.spec.trace:
        build = make(replace(build.spec, trace=True))
    with scratch_folder("cocotb") as folder, Children() as children:
        results = folder / "results.xml"
        command: list[str | Path] = [build.program, f"+verilator+seed+{seed}", "+verilator+rand+reset+2"]
        command += ["--trace", "--trace-file", waves.absolute()] if waves is not None else []
        variables = {
            **_variables(build, names, seed, python_path),
            **(environment or {}),
            "COCOTB_RESULTS_FILE": str(results),
            **({"COCOTB_TEST_FILTER": only} if only else {}),
        }
        start = time.perf_counter()
        done = children.run(command, cwd=folder, env=variables, timeout=timeout)
        seconds = time.perf_counter() - start
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(done.output)
        written = results.read_text() if results.is_file() else ""
    about = f"{build.interface.top}, tests {', '.join(names)}, seed {seed}"
    if done.timed_out:
        raise SimulationFailed(f"{about}: no end after {timeout} s of wall time\n{_tail(done.output)}")
    return _judged(about, written, done, seconds)


def _judged(about: str, written: str, done: Finished, seconds: float) -> CocotbResult:
    """What the results file ``written`` says of a run that came to an end."""
    if not written:
        raise SimulationFailed(f"{about}: the simulation broke off (code {done.code})\n{_tail(done.output)}")
    passed, skipped, failed = _parse(written)
    ledger.count_tests(len(passed) + len(failed), seconds)
    if failed:
        raise SimulationFailed(f"{about}: {', '.join(failed)} failed\n{_tail(done.output)}")
    if not passed:
        raise SimulationFailed(f"{about}: no test was run\n{_tail(done.output)}")
    if done.code != 0:
        raise SimulationFailed(f"{about}: the simulation ended with code {done.code}\n{_tail(done.output)}")
    return CocotbResult(passed, skipped, done.output, seconds)


def _variables(build: Build, modules: list[str], seed: int, python_path: Sequence[Path]) -> dict[str, str]:
    import cocotb_tools.config
    import find_libpython

    library = find_libpython.find_libpython()
    if library is None:
        raise HarnessError(f"no shared library of Python was found for {sys.executable}; cocotb needs one")
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*(str(path) for path in python_path), *(path for path in sys.path if path)]),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{library};{cocotb_tools.config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": build.interface.top,
        "COCOTB_TEST_MODULES": ",".join(modules),
        "TOPLEVEL_LANG": "verilog",
        # Verilator applies writes of inputs in the right order itself.
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "COCOTB_RANDOM_SEED": str(seed),
    }


def _parse(xml: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names of passed, skipped and failed tests of a results file."""
    passed, skipped, failed = [], [], []
    for case in ElementTree.fromstring(xml).iter("testcase"):
        name = case.get("name", "?")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif case.find("skipped") is not None:
            skipped.append(name)
        else:
            passed.append(name)
    return tuple(passed), tuple(skipped), tuple(failed)


def _tail(output: str, lines: int = 40) -> str:
    return "\n".join(output.splitlines()[-lines:])
