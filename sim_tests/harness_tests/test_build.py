"""The cache of builds: found again, made once, never half."""

import errno
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.sim_tests.harness import (
    BuildFailed,
    HarnessError,
    Interface,
    InterfaceError,
    build,
    make,
    tools,
)
from tilewright.sim_tests.harness_tests.designs import STREAMS, buffer, buffer_spec, check_buffer, sink, source

#: The module; its name is that of the function, too.
BUILDER = importlib.import_module("tilewright.sim_tests.harness.build")


def test_the_second_build_is_the_first(own_cache: Path) -> None:
    first, second = make(buffer_spec()), make(buffer_spec())
    assert (first.cached, second.cached) == (False, True)
    assert first.folder == second.folder and first.folder.parent == own_cache / "builds"
    assert dict(first.seconds) == dict(second.seconds)
    assert set(first.seconds) == {"verilator", "C++", "link"} and all(s > 0 for s in first.seconds.values())
    record = json.loads((first.folder / "build.json").read_text())
    assert record["top"] == "buffer" and record["interface"]["clock"] == "clk" and record["verilator"]
    assert not list((own_cache / "unfinished").iterdir())
    check_buffer(second)


def test_everything_that_matters_makes_another_build(monkeypatch: pytest.MonkeyPatch) -> None:
    base = buffer_spec()
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
    code = "from tilewright.sim_tests.harness_tests.designs import buffer_spec; print(buffer_spec().key())"
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
    assert keys == {buffer_spec().key() + "\n"}


def test_verilator_refuses(own_cache: Path) -> None:
    with pytest.raises(BuildFailed, match=r"Verilator refused broken:\n%Error: broken.v:1:") as caught:
        build({"broken.v": "module broken (input clk input rst); endmodule"}, "broken")
    assert str(own_cache) not in str(caught.value)
    assert not list((own_cache / "builds").glob("*")) and not list((own_cache / "unfinished").iterdir())


def test_errors_are_not_hidden_by_warnings() -> None:
    pins = ", ".join(f"output o{pin}" for pin in range(50))
    part = f"module part ({pins}); endmodule\n"
    text = f"module broken (input clk, input rst, output o);\npart part ();\nassign o = not_there;\nendmodule\n{part}"
    with pytest.raises(BuildFailed) as caught:
        build({"broken.v": text}, "broken", outputs=[("o", 1)])
    first, error, *continued = str(caught.value).splitlines()
    assert first == "Verilator refused broken:"
    assert error.startswith("%Error: broken.v:3:") and "'not_there'" in error
    assert any("assign o = not_there;" in line for line in continued)
    assert "Warning" not in str(caught.value)


def test_a_full_cache_is_told_with_its_folder(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(BUILDER, "_make", full)
    with pytest.raises(OSError, match="No space left") as caught:
        make(buffer_spec())
    assert caught.value.filename == str(own_cache)
    assert not list((own_cache / "unfinished").iterdir())


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


def test_threads_that_want_the_same_build_get_one(no_compiler: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: make(buffer_spec()), range(4)))
    assert sorted(m.cached for m in made) == [False, True, True, True]
    assert len(list((no_compiler / "builds").iterdir())) == 1


def test_processes_that_want_the_same_build_get_one(own_cache: Path) -> None:
    code = """
from tilewright.sim_tests.harness import make
from tilewright.sim_tests.harness_tests.designs import buffer_spec
print(make(buffer_spec()).cached)
"""
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert sorted(process.communicate()[0] for process in started) == ["False\n", "True\n", "True\n"]
    assert len(list((own_cache / "builds").iterdir())) == 1
    check_buffer(make(buffer_spec()))


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(
        HarnessError, match=r"^the cache folder \S+/cache cannot be written \(Not a directory\); set TIL"
    ):
        make(buffer_spec())


def test_paths_with_spaces(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(own_cache, tmp_path / "my cache", symlinks=True)
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "my cache"))
    check_buffer(make(replace(buffer_spec(), vlt='no_inline -module "buffer"')))


def test_leftovers_and_unused_builds_are_removed_in_time(no_compiler: Path) -> None:
    made = make(buffer_spec("old"))
    leftover = no_compiler / "unfinished" / "builds-x-1"
    leftover.mkdir()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(made.folder, (long_ago, long_ago))
    os.utime(leftover, (long_ago, long_ago))
    assert make(buffer_spec("old")).cached  # use makes it young
    assert leftover.exists()
    os.utime(made.folder, (long_ago, long_ago))
    make(buffer_spec("new"))
    assert not leftover.exists() and not made.folder.exists()


def test_a_compiler_that_makes_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "c++"
    program.write_text("#!/bin/sh\necho my compiler 1.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("CXX", str(program))
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    tools.compiler.cache_clear()
    try:
        with pytest.raises(BuildFailed, match=r"c\+\+ is no C\+\+ compiler: it made no program of buffer$"):
            make(buffer_spec())
        assert not list((tmp_path / "cache" / "builds").glob("*"))
    finally:
        tools.compiler.cache_clear()
