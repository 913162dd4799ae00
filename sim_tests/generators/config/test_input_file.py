"""Only ordinary files and pipes of an ordinary size are read; nothing makes a reader wait for long."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.input_file import LARGEST_TEXT, read_bytes, read_text


def refusal(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        read_text("test file", path)
    (sentence,) = str(caught.value).splitlines()
    return sentence.replace(str(path), "PATH")


def test_text_arrives_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in ("é\r\n".encode(), b"\xef\xbb\xbf" + "é\r\n".encode()):
        path.write_bytes(data)
        assert read_text("test file", path) == "é\r\n"


def test_what_is_no_ordinary_file(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "test file PATH cannot be read: it is a folder, not an ordinary file"
    for device in ("/dev/zero", "/dev/null"):
        assert refusal(Path(device)) == "test file PATH cannot be read: it is a device, not an ordinary file"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        assert refusal(tmp_path / "socket") == "test file PATH cannot be read: it is a socket, not an ordinary file"


def test_text_comes_through_pipes() -> None:
    (ours, theirs), text = os.pipe(), "rows = 4\n" * 5000
    os.write(theirs, text.encode())  # as in a process substitution whose process has ended
    os.close(theirs)
    assert read_text("test file", Path(f"/dev/fd/{ours}")) == text
    os.close(ours)
    ours, theirs = os.pipe()
    writer = threading.Thread(target=write_slowly, args=(theirs, ["rows", " = ", "4\n"]))
    writer.start()
    assert read_text("test file", Path(f"/dev/fd/{ours}")) == "rows = 4\n"
    writer.join()
    os.close(ours)


def write_slowly(pipe: int, parts: list[str]) -> None:
    for part in parts:
        time.sleep(0.05)
        os.write(pipe, part.encode())
    os.close(pipe)


def test_pipes_that_are_empty_endless_or_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "test file PATH cannot be read: nobody writes into the pipe"
    with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        path = Path(f"/dev/fd/{process.stdout.fileno()}")
        assert refusal(path) == "test file PATH cannot be read: it has more than 1,048,576 bytes"
        process.kill()
    monkeypatch.setattr("tilewright.generators.config.input_file.PATIENCE", 0.2)
    ours, theirs = os.pipe()
    os.write(theirs, b"rows")
    assert refusal(Path(f"/dev/fd/{ours}")) == "test file PATH cannot be read: the pipe does not end within 0 s"
    os.close(ours)
    os.close(theirs)


def test_what_is_not_there_or_cannot_be_named(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    assert refusal(tmp_path / "none") == "test file PATH does not exist"
    assert refusal(tmp_path / "loop") == "test file PATH cannot be read: Too many levels of symbolic links"
    assert refusal(tmp_path / "file" / "none") == "test file PATH cannot be read: Not a directory"
    assert refusal(tmp_path / ("x" * 300)) == "test file PATH cannot be read: File name too long"
    for name in ("a\0b", "a\ud800b"):
        assert refusal(tmp_path / name) == "test file PATH cannot be read: no file can have its name"


def test_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b" " * LARGEST_TEXT)
    assert len(read_text("test file", path)) == LARGEST_TEXT
    os.truncate(path, 1 << 40)  # takes no space
    assert refusal(path) == "test file PATH cannot be read: it has more than 1,048,576 bytes"


def test_a_pipe_that_takes_the_place_of_a_file_is_no_trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("tilewright.generators.config.input_file.check_ordinary", lambda path: None)
    assert read_bytes(tmp_path / "pipe", 10) == b""
