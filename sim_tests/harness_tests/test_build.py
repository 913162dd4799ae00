"""The cache of builds: found again, made once, never half."""

import contextlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.sim_tests.harness import (
    Build,
    BuildFailed,
    BuildSpec,
    HarnessError,
    Interface,
    InterfaceError,
    Run,
    build,
    make,
    pack,
)
from tilewright.sim_tests.harness.cache import cache_folder
from tilewright.sim_tests.harness_tests.designs import buffer, build_buffer, sink, source

#: The module; its name is that of the function, too.
BUILDER = importlib.import_module("tilewright.sim_tests.harness.build")

STREAMS = (source("i", 8), sink("o", 8))


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, but for the run-time library, which is linked from the real one."""
    build_buffer()
    real, own = cache_folder(), tmp_path / "cache"
    for file in (real / "runtime").rglob("*"):
        if file.is_file():
            copy = own / file.relative_to(real)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(file)
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(own))
    return own


def spec(remark: str = "") -> BuildSpec:
    return BuildSpec(buffer(8, remark), Interface("buffer", STREAMS))


def works(made: Build) -> None:
    beats = pack(range(20), 8)
    assert Run(made).send("i", beats).expect("o", beats).execute()


def test_the_second_build_is_the_first(own_cache: Path) -> None:
    first, second = make(spec()), make(spec())
    assert (first.cached, second.cached) == (False, True)
    assert first.folder == second.folder and first.folder.parent == own_cache / "builds"
    assert dict(first.seconds) == dict(second.seconds)
    assert set(first.seconds) == {"verilator", "C++", "link"} and all(s > 0 for s in first.seconds.values())
    record = json.loads((first.folder / "build.json").read_text())
    assert record["top"] == "buffer" and record["interface"]["clock"] == "clk" and record["verilator"]
    assert not list((own_cache / "unfinished").iterdir())
    works(second)


def test_everything_that_matters_makes_another_build(monkeypatch: pytest.MonkeyPatch) -> None:
    base = spec()
    other = [
        replace(base, sources=buffer(8, "other")),
        replace(base, sources={"other.v": base.sources["buffer.v"]}),
        replace(base, vlt='no_inline -module "buffer"'),
        replace(base, trace=True),
        replace(base, cocotb=True),
        replace(base, interface=replace(base.interface, streams=STREAMS[::-1])),
    ]
    keys = {s.key() for s in (base, *other)}
    assert len(keys) == 7
    monkeypatch.setattr(BUILDER, "driver_digest", lambda: "another driver")
    assert base.key() not in keys
    monkeypatch.setattr(BUILDER, "tool_identity", lambda: ["another tool"])
    assert base.key() not in keys


def test_equal_builds_are_equal_whoever_asks() -> None:
    code = "from tilewright.sim_tests.harness_tests.test_build import spec; print(spec().key())"
    keys = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert keys == {spec().key() + "\n"}


def test_verilator_refuses(own_cache: Path) -> None:
    with pytest.raises(BuildFailed, match=r"Verilator refused broken:\n%Error: broken.v:1:") as caught:
        build({"broken.v": "module broken (input clk input rst); endmodule"}, "broken")
    assert str(own_cache) not in str(caught.value)
    assert not list((own_cache / "builds").glob("*")) and not list((own_cache / "unfinished").iterdir())


def test_a_port_that_the_design_has_not() -> None:
    with pytest.raises(BuildFailed, match="level"):
        build(buffer(), "buffer", STREAMS, outputs=[("level", 3)])


def test_a_port_that_nobody_connects_is_told() -> None:
    with pytest.raises(BuildFailed, match=r"buffer has other ports than those listed:\n.*PINMISSING.*o_ready"):
        build(buffer(), "buffer", [STREAMS[0], replace(STREAMS[1], ready=None)])


def test_a_port_of_another_width_is_told() -> None:
    with pytest.raises(BuildFailed, match=r"buffer has other ports than those listed:\n.*WIDTH.*i_data"):
        build(buffer(), "buffer", [source("i", 9), STREAMS[1]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Interface("t", (source("i", 8), source("i", 8))), "port i_data is listed twice"),
        (lambda: Interface("t", (source("i", 8), replace(sink("o", 8), name="i"))), "stream names must differ, got i"),
        (lambda: Interface("t", (source("i", 0),)), r"must have 1..8192 bits, got 0"),
        (lambda: Interface("t", (source("i", 8193),)), r"must have 1..8192 bits, got 8193"),
        (
            lambda: Interface("t", (replace(STREAMS[0], direction="inout"),)),  # type: ignore[arg-type]
            "must be in or out, got 'inout'",
        ),
        (lambda: Interface("t", inputs=(("x y", 1),)), "plain Verilog identifiers, got 'x y'"),
        (lambda: Interface("t", inputs=(("x", 0),)), "port x must be at least 1 bit wide, got 0"),
        (lambda: source("i", 8).field("z"), "stream i has no signal z; it has i_data"),
        (lambda: build({"../x.v": ""}, "x"), r"source names must be plain file names, got '../x.v'"),
    ],
)
def test_misuse_is_refused_in_one_sentence(wrong, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InterfaceError, match=message):
        wrong()


def test_threads_that_want_the_same_build_get_one(own_cache: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: make(spec("threads")), range(4)))
    assert sorted(m.cached for m in made) == [False, True, True, True]
    assert len(list((own_cache / "builds").iterdir())) == 1


def test_processes_that_want_the_same_build_get_one(own_cache: Path) -> None:
    code = "from tilewright.sim_tests.harness_tests.test_build import *; print(make(spec('processes')).cached)"
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert sorted(process.communicate()[0] for process in started) == ["False\n", "True\n", "True\n"]
    assert len(list((own_cache / "builds").iterdir())) == 1
    works(make(spec("processes")))


SLOW = """
    import sys
    from tilewright.sim_tests.harness_tests.test_build import BUILDER, make, spec

    def compile_slowly(children, commands, cwd, what):
        children.run(["sh", "-c", f"echo $$ > {sys.argv[1]}; sleep 300 & wait"])

    BUILDER.compile_all = compile_slowly
    make(spec("interrupted"))
"""


def start_slow_build(mark: Path) -> tuple["subprocess.Popen[str]", int]:
    """A process whose C++ compiler never ends, and that compiler's process number."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SLOW), str(mark)], stderr=subprocess.PIPE, text=True
    )
    for _ in range(600):
        if mark.is_file() and mark.read_text().endswith("\n"):
            return process, int(mark.read_text())
        time.sleep(0.05)
    process.kill()
    process.communicate()
    raise AssertionError("the slow build did not start")


def group_is_alive(leader: int) -> bool:
    """Whether a process of the group still runs; one that is dead and only waits for its parent does not."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, group = status.read_text().rpartition(")")[2].split()[:3]
            if int(group) == leader and state != "Z":
                return True
    return False


def test_an_interrupted_build_leaves_nothing(own_cache: Path, tmp_path: Path) -> None:
    process, compiler = start_slow_build(tmp_path / "mark")
    assert group_is_alive(compiler)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors
    assert not group_is_alive(compiler)
    assert not list((own_cache / "builds").glob("*")) and not list((own_cache / "unfinished").iterdir())
    works(make(spec("interrupted")))


def test_a_killed_build_is_never_taken_for_done(own_cache: Path, tmp_path: Path) -> None:
    process, compiler = start_slow_build(tmp_path / "mark")
    process.kill()
    process.communicate()
    os.killpg(compiler, signal.SIGKILL)  # nobody can clean up after a killed process
    assert not list((own_cache / "builds").glob("*"))
    made = make(spec("interrupted"))
    assert not made.cached
    works(made)


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(
        HarnessError, match=r"^the cache folder \S+/cache cannot be written \(Not a directory\); set TIL"
    ):
        make(spec())


def test_paths_with_spaces(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(own_cache, tmp_path / "my cache", symlinks=True)
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "my cache"))
    works(make(replace(spec("spaces"), vlt='no_inline -module "buffer"')))


def test_leftovers_and_unused_builds_are_removed_in_time(own_cache: Path) -> None:
    made = make(spec("old"))
    leftover = own_cache / "unfinished" / "builds-x-1"
    leftover.mkdir()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(made.folder, (long_ago, long_ago))
    os.utime(leftover, (long_ago, long_ago))
    assert make(spec("old")).cached  # use makes it young
    assert leftover.exists()
    os.utime(made.folder, (long_ago, long_ago))
    make(spec("new"))
    assert not leftover.exists() and not made.folder.exists()
