"""Matrix products to report on: given one by one, or as a network in SCALE-Sim's layer file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.config.input_file import read_text
from tilewright.generators.config.rules import Whole

_CONVOLUTION = (
    "IFMAP height", "IFMAP width", "filter height", "filter width", "channels", "number of filters", "stride",
)  # fmt: skip
_SIZE = Whole(1, 2**31 - 1)
_DEPTHWISE = "DP"  # in the name of a layer: every channel is a convolution of its own


@dataclass(frozen=True)
class Layer:
    """``count`` products of an ``m`` x ``k`` and a ``k`` x ``n`` matrix, one after the other."""

    name: str
    m: int
    n: int
    k: int
    count: int = 1

    @property
    def macs(self) -> int:
        """Multiply-accumulates of all of them."""
        return self.m * self.n * self.k * self.count


def read_topology(path: Path) -> list[Layer]:
    """The layers of SCALE-Sim's topology file ``path``, as matrix products.

    The file is comma-separated with one heading line. Where the heading's second field is ``M``, lines are products
    (name, M, N, K); otherwise convolutions (name, input height and width, filter height and width, channels, filters,
    stride, and optionally the stride across the width), which become products by im2col: M = output pixels, N =
    filters, K = filter height x width x channels. Inputs are not padded and windows lie wholly inside (SCALE-Sim
    counts one more where the stride does not divide). A layer with "DP" in its name is depth-wise: a product for every
    channel. Further fields (sparsity) are left out.

    Raises ConfigError, with the line, where the file cannot be read so.
    """
    text = read_text("topology file", path)
    try:
        rows = [[field.strip() for field in row] for row in csv.reader(StringIO(text, newline=""))]
    except csv.Error as error:
        raise ConfigError(f"topology file {path} cannot be read: {error}") from None
    numbered = [(line, row) for line, row in enumerate(rows, 1) if any(row)]
    products = bool(numbered) and len(numbered[0][1]) > 1 and numbered[0][1][1].upper() == "M"
    convert = _product if products else _convolution
    layers = [convert(row, f"{path.name}, line {line}") for line, row in numbered[1:]]
    if not layers:
        raise ConfigError(f"topology file {path} must have a heading line and at least one layer")
    return layers


def _product(row: Sequence[str], place: str) -> Layer:
    m, n, k = _numbers(row, ("M", "N", "K"), place)
    return Layer(row[0], m, n, k)


def _convolution(row: Sequence[str], place: str) -> Layer:
    height, width, filter_height, filter_width, channels, filters, stride = _numbers(row, _CONVOLUTION, place)
    across = (_SIZE.read(row[8]) if len(row) > 8 else None) or stride
    for name, size, limit in (("filter height", filter_height, height), ("filter width", filter_width, width)):
        if size > limit:
            raise ConfigError(must_be(f"{place}: {name}", f"at most {limit}, that of the input", size, limit))
    pixels = ((height - filter_height) // stride + 1) * ((width - filter_width) // across + 1)
    if _DEPTHWISE in row[0]:
        return Layer(row[0], pixels, filters, filter_height * filter_width, channels)
    return Layer(row[0], pixels, filters, filter_height * filter_width * channels)


def _numbers(row: Sequence[str], names: Sequence[str], place: str) -> list[int]:
    """The fields after the layer's name."""
    found = []
    for index, name in enumerate(names, 1):
        word = row[index] if index < len(row) else ""
        number = _SIZE.read(word)
        if number is None:
            raise ConfigError(must_be(f"{place}: {name}", _SIZE.text, word, _SIZE.nearest(word)))
        found.append(number)
    return found
