"""Layer files become matrix products, or are refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.report.cycles import layer_cycles
from tilewright.generators.report.workload import Layer, read_topology

HEADING = "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"


def topology(folder: Path, text: str) -> Path:
    path = folder / "net.csv"
    path.write_text(text)
    return path


def test_convolutions_become_products(tmp_path: Path) -> None:
    lines = "Conv1, 224, 224, 7, 7, 3, 64, 2,\n\nFC, 1, 1, 1, 1, 2048, 1000, 1,\nTall, 9, 5, 3, 2, 4, 6, 2, 3,\n"
    assert read_topology(topology(tmp_path, HEADING + lines)) == [
        Layer("Conv1", 109 * 109, 64, 147),
        Layer("FC", 1, 1000, 2048),
        Layer("Tall", 4 * 2, 6, 24),
    ]


def test_a_ratio_of_sparsity_is_no_stride(tmp_path: Path) -> None:
    (layer,) = read_topology(topology(tmp_path, HEADING + "C, 8, 8, 3, 3, 1, 1, 1, 2:4,\n"))
    assert (layer.m, layer.k) == (36, 9)


def test_the_largest_layers_are_counted_exactly(tmp_path: Path) -> None:
    largest = 2**31 - 1
    (layer,) = read_topology(topology(tmp_path, f"Layer, M, N, K,\nx, {largest}, {largest}, {largest},\n"))
    assert layer.macs == largest**3
    assert layer_cycles(systolic_config({"dataflow": "any"}), layer).cycles > layer.macs // 256


def test_a_stride_across_of_thousands_of_digits_is_none(tmp_path: Path) -> None:
    (layer,) = read_topology(topology(tmp_path, HEADING + f"C, 8, 8, 3, 3, 1, 1, 1, {'9' * 5000},\n"))
    assert layer.m == 36


def test_depthwise_layers_are_a_product_a_channel(tmp_path: Path) -> None:
    (layer,) = read_topology(topology(tmp_path, HEADING + "Conv_DP, 10, 10, 3, 3, 32, 1, 1,\n"))
    assert layer == Layer("Conv_DP", 64, 1, 9, 32)
    assert layer.macs == 64 * 9 * 32


def test_products_are_read_as_they_are(tmp_path: Path) -> None:
    assert read_topology(topology(tmp_path, "Layer, M, N, K,\nqkv, 128, 2304, 768,\n")) == [
        Layer("qkv", 128, 2304, 768)
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEADING + "C, 8, 8, 3, 3, 1, 0, 1,\n", "net.csv, line 2: number of filters must be a whole number"),
        (
            HEADING + "C, 8, 8, 3,\n",
            "line 2: filter width must be a whole number 1..2147483647, got ''; nearest legal value is 1",
        ),
        (HEADING + "\nC, 8, 8, 9, 3, 1, 1, 1,\n", "line 3: filter height must be at most 8, that of the input, got 9"),
        ("Layer, M, N, K,\nx, 1, two, 3,\n", "line 2: N must be a whole number 1..2147483647, got 'two'"),
        ("Layer, M, N, K,\nx, 1, 2147483648, 3,\n", "got '2147483648'; nearest legal value is 2147483647"),
        ("Layer, M, N, K,\nx, 1, " + "9" * 5000 + ", 3,\n", "line 2: N must be a whole number 1..2147483647, got '999"),
        ("Layer, M, N, K,\nx, 1, ١, 3,\n", "line 2: N must be a whole number"),
        ("Layer, M, N, K,\nx, " + "y" * 200_000 + ", 3,\n", "cannot be read: field larger than field limit"),
        (HEADING, "must have a heading line and at least one layer"),
        ("", "must have a heading line and at least one layer"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as told:
        read_topology(topology(tmp_path, text))
    assert sentence in str(told.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"topology file \S+none.csv does not exist"):
        read_topology(tmp_path / "none.csv")
