"""Only ordinary files of an ordinary size are read; nothing else makes a reader wait."""

from __future__ import annotations

import os
import socket
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
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "test file PATH cannot be read: it is a pipe, not an ordinary file"
    for device in ("/dev/zero", "/dev/null"):
        assert refusal(Path(device)) == "test file PATH cannot be read: it is a device, not an ordinary file"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        assert refusal(tmp_path / "socket") == "test file PATH cannot be read: it is a socket, not an ordinary file"


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
