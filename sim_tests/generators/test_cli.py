"""The command line from outside: exit codes, one sentence for bad input, nothing written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilewright.generators.commands.app import run
from tilewright.generators.config.presets import engine_preset_names, preset_names
from tilewright.generators.config.schema import json_schema

PROGRAM = [sys.executable, "-c", "from tilewright.generators.cli import main; main()"]
# Of this process (0) or its children (-1): kilobytes at most, and seconds.
MEMORY_AND_TIME = "lambda who: (lambda u: f'{u.ru_maxrss}/{u.ru_utime + u.ru_stime}')(resource.getrusage(who))"


OPERANDS = "int2..int16, uint2..uint16, bf16, fp16, fp8_e4m3 or fp8_e5m2"


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    """The sentence with which ``words`` are refused, after a check that nothing else happened."""
    before = sorted(folder.rglob("*"))
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sorted(folder.rglob("*")) == before
    (line,) = err.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def size(option: str, value: str, nearest: int) -> str:
    return f"{option} must be a whole number 1..256, got {value}; nearest legal value is {nearest}"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--rows", "0"], size("rows", "0", 1)),
        (["--rows", "-4"], size("rows", "-4", 1)),
        (["--rows", "1.5"], size("rows", "1.5", 2)),
        (["--rows", "257"], size("rows", "257", 256)),
        (["--cols", "257"], size("cols", "257", 256)),
        (["--cols", "abc"], size("cols", "'abc'", 1)),
        (["--cols", ""], size("cols", "''", 1)),
        (["--cols", "9" * 5000], size("cols", "inf", 256)),
        (["--dataflow", "osx"], "dataflow must be one of ws, os, is, any, got 'osx'; nearest legal value is os"),
        (["--a", "int32"], f"a must be {OPERANDS}, got 'int32'; nearest legal value is int16"),
        (["--vector", "5"], "vector must be one of 1, 2, 4, 8, 16, got 5; nearest legal value is 4"),
        (["--outt", "1"], "option '--outt' does not exist; nearest is '--out'"),
        (["--row", "1"], "option '--row' does not exist; nearest is '--rows'"),
        (["--rows"], "Option '--rows' requires an argument."),
        (["stray"], "Got unexpected extra argument(s) (stray)"),
        (
            ["--acc", "int15", "--overflow", "wrap"],
            "acc must hold one product of int8 and int8, which takes 16 bits, got int15; nearest legal value is int16",
        ),
        (
            ["--acc", "int24", "--max-k", "1000"],
            "acc must hold max_k = 1000 products of int8 and int8 when no overflow is chosen, got int24, "
            "which is safe up to K = 511; nearest legal value is int25",
        ),
        (
            ["--memory-limit-bits", "1000"],
            "memory_limit_bits must cover the scratchpads, which take 5259264 bits, got 1000; "
            "nearest legal value is 5259264",
        ),
        (
            ["--module-name", "endmodule"],
            "module_name must be a Verilog identifier of at most 64 characters that is no keyword and none of TOP, "
            "std, tilewright_bench, got 'endmodule'; nearest legal value is endmodule_",
        ),
        (["--preset", "ws-16x16-in4"], "preset 'ws-16x16-in4' does not exist; nearest is 'ws-16x16-int4'"),
        (
            ["--preset", "ws-4x4-int8", "--config", "x.toml"],
            "--config and --preset must not be given together; keep one and override fields by options",
        ),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], sentence: str) -> None:
    assert refused(capsys, tmp_path, "systolic", "-o", str(tmp_path / "out"), *words) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("rows = 4\ncols = \n", "{} must be TOML, but does not parse at line 2, column 8: invalid value"),
        ("rosw = 4\n", "configuration field 'rosw' does not exist; nearest is 'rows'"),
        ("[systolic]\nrows = 4\n", "configuration field 'systolic' does not exist; nearest is 'cols'"),
        ("rows = 257\n", size("rows", "257", 256)),
        ("rows = true\n", size("rows", "True", 1)),
        ("rows = 1979-05-27\n", size("rows", "datetime.date(1979, 5, 27)", 1)),
    ],
)
def test_bad_files(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "core.toml"
    file.write_text(text)
    told = refused(capsys, tmp_path, "systolic", "-o", str(tmp_path / "out"), "--config", str(file))
    assert told == sentence.format(file)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["systolic", "-o", "none", "--config"], "configuration file"),
        (["report", "cycles", "1", "1", "1", "--config"], "configuration file"),
        (["report", "area", "--config"], "configuration file"),
        (["report", "cycles", "--topology"], "topology file"),
    ],
)
def test_what_is_no_file_is_neither_waited_for_nor_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], what: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    told = refused(capsys, tmp_path, *words, str(tmp_path / "pipe"))
    assert told == f"{what} {tmp_path / 'pipe'} cannot be read: nobody writes into the pipe"
    for path, kind in ((Path("/dev/zero"), "a device"), (tmp_path, "a folder")):
        told = refused(capsys, tmp_path, *words, str(path))
        assert told == f"{what} {path} cannot be read: it is {kind}, not an ordinary file"


def test_a_configuration_comes_through_a_process_substitution(tmp_path: Path) -> None:
    line = f'"{sys.executable}" -c "$1" systolic --json -o out --config <(printf "rows = 2\ncols = 3\n")'
    done = subprocess.run(
        ["bash", "-c", line, "-", PROGRAM[2]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(done.stdout)["config"][field] for field in ("rows", "cols")] == [2, 3]


def test_options_override_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "core.toml"
    file.write_text("rows = 4\ncols = 4\n")
    told = refused(capsys, tmp_path, "systolic", "-o", str(tmp_path), "--config", str(file), "--rows", "0")
    assert told == size("rows", "0", 1)


def test_an_output_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    assert refused(capsys, tmp_path, "systolic", "-o", str(file)) == (
        f"-o must be a folder, got the existing file '{file}'; nearest legal value is '{file}.out'"
    )
    told = refused(capsys, tmp_path, "systolic", "-o", "/proc/out")
    assert told.startswith("-o must be a folder that can be written, got '/proc/out': ")
    assert refused(capsys, tmp_path, "systolic") == "Missing option '--out' / '-o'."


def contents(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_what_is_told_is_what_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "core.toml"
    file.write_text('dataflow = "os"\nrows = 2\ncols = 3\n')
    words = ["systolic", "--config", str(file), "--cols", "2", "--json", "-o"]
    assert run([*words, str(tmp_path / "one")]) == 0
    told = json.loads(capsys.readouterr().out)
    written = contents(tmp_path / "one")
    assert told["files"] == {name: len(text.encode()) for name, text in written.items()}
    assert (told["config"]["rows"], told["config"]["cols"], told["config"]["dataflow"]) == (2, 2, "os")
    assert "module tilewright_gemm" in written["tilewright_gemm.v"]
    assert run([*words, str(tmp_path / "deeper" / "two")]) == 0
    assert contents(tmp_path / "deeper" / "two") == written
    assert run([*words, str(tmp_path / "one"), "--rows", "3"]) == 0  # in place of the earlier output
    assert contents(tmp_path / "one").keys() == written.keys()
    assert contents(tmp_path / "one") != written


def test_a_preset_is_a_start(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--preset", "ws-4x4-int8", "--module-name", "tiny", "--max-m", "8"]
    assert run(["systolic", *words, "-o", str(tmp_path / "out")]) == 0
    assert str(tmp_path / "out" / "tiny.v") in capsys.readouterr().out


def test_the_largest_arrays_ask_for_force_within_seconds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    start = time.monotonic()
    told = refused(capsys, tmp_path, "systolic", "--rows", "256", "--cols", "256", "-o", str(tmp_path / "out"))
    assert time.monotonic() - start < 5
    assert told.startswith("--force must be given for more than 16384 multipliers, got 256 x 256 x 1, about ")
    for word in ("bytes of Verilog", " s and ", " LUTs "):
        assert word in told


@pytest.mark.long  # half a minute
@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "any"])
def test_the_largest_cores_are_generated_where_force_is_given(tmp_path: Path, dataflow: str) -> None:
    words = [
        "--rows",
        "256",
        "--cols",
        "256",
        "--dataflow",
        dataflow,
        "--max-m",
        "16",
        "--max-n",
        "16",
        "--max-k",
        "16",
    ]
    measured = f"import atexit, resource, sys; atexit.register(lambda: print(*map({MEMORY_AND_TIME}, (0, -1))));"
    command = [sys.executable, "-c", measured + PROGRAM[2], "systolic", *words, "--force", "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    used = [tuple(map(float, pair.split("/"))) for pair in done.stdout.splitlines()[-1].split()]
    assert sum(seconds for _, seconds in used) <= 60
    assert max(kilobytes for kilobytes, _ in used) <= 500_000
    assert (tmp_path / "out" / "tilewright_gemm.v").stat().st_size <= 400_000


def test_unknown_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert refused(capsys, tmp_path, "sistolic") == "No such command 'sistolic'. Did you mean 'systolic'?"


def test_help_lists_the_commands_and_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    listing = capsys.readouterr().out
    assert run(["--help"]) == 0
    assert capsys.readouterr().out == listing
    for command in ("systolic", "engine", "presets", "schema", "doctor"):
        assert command in listing
        assert run([command, "--help"]) == 0
        assert "--json" in capsys.readouterr().out
    run(["systolic", "--help"])
    page = capsys.readouterr().out
    for field in json_schema()["properties"]:
        assert field == "$schema" or f"--{field.replace('_', '-')}" in page


def test_json_of_the_small_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema()
    assert run(["presets", "--json"]) == 0
    listing = json.loads(capsys.readouterr().out)
    assert sorted(listing) == sorted([*preset_names(), *engine_preset_names()])
    assert listing["ws-16x16-int4"]["config"]["a"] == "int4"
    assert run(["presets"]) == 0
    assert "ws-16x16-int4" in capsys.readouterr().out


def test_help_does_not_wait_for_the_hardware_libraries() -> None:
    script = (
        "import sys; from tilewright.generators.commands.app import run; run(['systolic', '--help']); "
        "sys.exit(' '.join({'amaranth', 'pyosys', 'cocotb', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_a_reader_that_leaves_is_no_error() -> None:
    reader = ["bash", "-c", f'set -o pipefail; "{sys.executable}" -c "$1" schema | true', "-", PROGRAM[2]]
    done = subprocess.run(reader, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_nothing(tmp_path: Path, number: signal.Signals, code: int) -> None:
    words = ["systolic", "--rows", "128", "--cols", "128", "--dataflow", "any", "-o", str(tmp_path / "out")]
    with subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        while not list(tmp_path.iterdir()):  # the folder in which output is prepared
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (code, "", "")
    assert list(tmp_path.iterdir()) == []
