"""What is left when work is interrupted or killed: nothing that runs, nothing that is taken for done."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright.sim_tests.harness import make
from tilewright.sim_tests.harness_tests.designs import buffer_spec, build_buffer, check_buffer

#: Replaces the C++ compiler by one that never ends, and tells its process number in a file.
SLOWLY = """
    import importlib, sys
    from tilewright.sim_tests.harness import Limits, Run, make
    from tilewright.sim_tests.harness.build_many import build_many
    from tilewright.sim_tests.harness_tests.designs import buffer_spec, build_buffer

    def compile_slowly(children, commands, cwd, what):
        children.run(["sh", "-c", f"touch {sys.argv[1]}/$$; sleep 300 & wait"])

    importlib.import_module("tilewright.sim_tests.harness.build").compile_all = compile_slowly
"""

ONE = "make(buffer_spec())"
SEVERAL = "build_many([buffer_spec(str(number)) for number in range(4)])"
RUN = "Run(build_buffer()).limits(Limits(linger=10**12)).execute()"


class Interrupted:
    """A Python process that is busy with ``work``, and the process groups that it started."""

    def __init__(self, work: str, marks: Path) -> None:
        marks.mkdir()
        code = textwrap.dedent(SLOWLY) + work
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(marks)],
            env=os.environ | {"TMPDIR": str(marks.parent)},  # a killed process leaves its folders
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.marks = marks

    def groups(self, find: Callable[[], list[int]], count: int) -> list[int]:
        """Waits until it has started ``count`` of them."""
        for _ in range(600):
            if len(find()) == count:
                return find()
            time.sleep(0.05)
        self.process.kill()
        self.process.communicate()
        raise AssertionError("the work did not start")

    def compilers(self) -> list[int]:
        return [int(mark.name) for mark in self.marks.iterdir()]

    def children(self) -> list[int]:
        return [number for number, (_, parent, _) in processes().items() if parent == self.process.pid]

    def simulations(self) -> list[int]:
        """Children that are the simulator; there are others before it."""
        program = os.fsencode(build_buffer().program)
        found = []
        for number in self.children():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[0] == program:
                    found.append(number)
        return found

    def end(self, number: signal.Signals) -> str:
        """Signals it and returns what it said."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=20)[1]


def processes() -> dict[int, tuple[str, int, int]]:
    """State, parent and group of every process."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, parent, group = status.read_text().rpartition(")")[2].split()[:3]
            found[int(status.parent.name)] = (state, int(parent), int(group))
    return found


def alive(groups: list[int]) -> bool:
    """Whether a process of one of the groups still runs; one that only waits to be reaped does not."""
    return any(group in groups and state != "Z" for state, _, group in processes().values())


def soon(condition: Callable[[], bool]) -> bool:
    for _ in range(100):
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(("work", "compilers"), [(ONE, 1), (SEVERAL, len(os.sched_getaffinity(0)))])
def test_an_interrupted_build_leaves_nothing(own_cache: Path, tmp_path: Path, work: str, compilers: int) -> None:
    busy = Interrupted(work, tmp_path / "marks")
    groups = busy.groups(busy.compilers, min(compilers, 4))
    assert alive(groups)
    assert "KeyboardInterrupt" in busy.end(signal.SIGINT)
    assert soon(lambda: not alive(groups))
    assert not list((own_cache / "builds").glob("*")) and not list((own_cache / "unfinished").iterdir())
    check_buffer(make(buffer_spec()))


def test_a_killed_build_is_never_taken_for_done(own_cache: Path, tmp_path: Path) -> None:
    busy = Interrupted(ONE, tmp_path / "marks")
    groups = busy.groups(busy.compilers, 1)
    busy.end(signal.SIGKILL)
    os.killpg(groups[0], signal.SIGKILL)  # a killed process cannot stop its compilers
    assert not list((own_cache / "builds").glob("*"))
    made = make(buffer_spec())
    assert not made.cached
    check_buffer(made)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_no_simulation_outlives_its_run(tmp_path: Path, number: signal.Signals) -> None:
    build_buffer()
    busy = Interrupted(RUN, tmp_path / "marks")
    simulations = busy.groups(busy.simulations, 1)
    assert soon(lambda: alive(simulations))
    busy.end(number)
    assert soon(lambda: not alive(simulations))
