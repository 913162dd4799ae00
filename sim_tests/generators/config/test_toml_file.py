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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rows = " + "9" * 5000, "must be TOML, but has a number of thousands of digits"),
        ("rows = " + "[" * 5000, "must be TOML, but is nested too deeply"),
        ("rows" + ".a" * 100_000 + " = 1", "must be TOML, but is nested too deeply"),
        ("[rows" + " . 'a'" * 100_000 + "]", "must be TOML, but is nested too deeply"),
        ("rows = {a" + ".a" * 100_000 + " = 1}", "must be TOML, but is nested too deeply"),
        ("rows = " + "{a=" * 5000, "must be TOML, but is nested too deeply"),
        ("rows = 2024-02-30", "must be TOML, but does not parse at line 1, column 8: invalid date or datetime"),
    ],
)
def test_absurd_values_are_told(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_toml(text, "core.toml")
    assert str(caught.value) == f"core.toml {told}"


@pytest.mark.parametrize("text", ["# " + "." * 1_000_000, "# " + "a" * 1_000_000, "# " + "a." * 99 + " " + "." * 99])
def test_comments_of_any_kind(text: str) -> None:
    assert parse_toml(f"{text}\nrows = 4", "core.toml") == {"rows": 4}


def test_a_byte_order_mark_is_none_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "core.toml"
    path.write_bytes(b"\xef\xbb\xbfrows = 4\r\n")
    assert read_toml(path) == {"rows": 4}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_other_encodings_are_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "core.toml"
    path.write_bytes("# \N{LATIN SMALL LETTER U WITH DIAERESIS}\n".encode(encoding))
    with pytest.raises(ConfigError, match=r"core.toml must be UTF-8 text, but byte \d is not$"):
        read_toml(path)
