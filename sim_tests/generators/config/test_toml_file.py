"""Reading TOML: values arrive, and what does not parse is told with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.toml_file import parse_toml, read_toml


def test_fields_arrive_as_written(tmp_path: Path) -> None:
    path = tmp_path / "core.toml"
    path.write_text('#:schema x.json\n"$schema" = "x.json"\nrows = 4\ndataflow = "os"\n')
    assert read_toml(path) == {"rows": 4, "dataflow": "os"}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("rows = ", 1, 8),
        ("rows = 4\ncols = = 3\n", 2, 8),
        ("rows = 4\nrows = 5\n", 2, 9),
        ('rows = 4\n\ndataflow = "ws\n', 3, 15),
        ("rows = 4\nlist = [1,", 2, 11),
        ("rows 4", 1, 6),
    ],
)
def test_line_and_column_of_what_does_not_parse(text: str, line: int, column: int) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_toml(text, "core.toml")
    (sentence,) = str(caught.value).splitlines()
    assert sentence.startswith(f"core.toml must be TOML, but does not parse at line {line}, column {column}: ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"rows = \xff")
    for path, told in (
        (tmp_path / "absent.toml", "does not exist"),
        (tmp_path, "cannot be read: Is a directory"),
        (binary, "must be UTF-8 text, but byte 7 is not"),
    ):
        with pytest.raises(ConfigError, match=told) as caught:
            read_toml(path)
        assert str(path) in str(caught.value)
