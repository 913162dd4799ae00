"""A core behind the wires of a board's UART, in RTL, as an accelerator: the same results as of an engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.link.link import LinkError
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import preset

PRESET = "any-4x4-int8"


@pytest.fixture(scope="module")
def board() -> Iterator[Accelerator]:
    with Accelerator.connect(f"sim:{PRESET}") as found:
        yield found


def test_products_of_any_shape(board: Accelerator) -> None:
    rng = np.random.default_rng(1)
    for m, k, n in ((1, 1, 1), (5, 7, 3), (17, 20, 9), (2, 130, 5)):
        a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
        bias = rng.integers(-1000, 1000, n)
        np.testing.assert_array_equal(board.matmul(a, b, bias=bias), a @ b + bias)


def test_results_are_finished_as_in_an_engine(board: Accelerator) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(-128, 128, (6, 9)), rng.integers(-128, 128, (9, 5))
    found = board.matmul(a, b, scale=2.0**-7, zero_point=3, activation="relu", a_zero=2)
    exact = (a - 2) @ b
    rounded = np.rint(exact / 128).astype(np.int64) + 3  # numpy, too, rounds halves to even
    np.testing.assert_array_equal(found, np.clip(rounded, 3, 127))
    assert found.dtype == np.int8


def test_convolutions_and_programs(board: Accelerator) -> None:
    rng = np.random.default_rng(3)
    picture, weight = rng.integers(-9, 9, (1, 4, 5, 2)), rng.integers(-9, 9, (3, 3, 2, 3))
    with board.program():
        once = board.conv2d(picture, weight, padding=1, scale=0.25)
        twice = board.matmul(once.reshape(20, 3), np.eye(3, dtype=int))
    padded = np.pad(picture, ((0, 0), (1, 1), (1, 1), (0, 0)))
    exact = sum(padded[:, y : y + 4, x : x + 5] @ weight[y, x] for y in range(3) for x in range(3))
    np.testing.assert_array_equal(twice, np.clip(np.rint(exact / 4), -128, 127).reshape(20, 3))


def test_it_counts_no_cycles(board: Accelerator) -> None:
    board.matmul(np.eye(2, dtype=int), np.eye(2, dtype=int))
    with pytest.raises(ConfigError, match=r"^profile must be of an engine; a core behind a link counts no cycles$"):
        board.profile()


def test_it_tests_itself(board: Accelerator) -> None:
    assert board.selftest(2) > 0
    with pytest.raises(ConfigError, match=r"^products must be a whole number 1..1000000, got 0; nearest legal value"):
        board.selftest(0)


def test_another_core_than_was_expected() -> None:
    wanted = preset(PRESET).config.model_copy(update={"rows": 8})
    with pytest.raises(LinkError, match=r"^the design has rows 4, expected 8: load the bitstream of that design$"):
        Accelerator.connect(f"sim:{PRESET}", wanted)


def test_places_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^preset 'any-4x4-int9' does not exist; nearest is 'any-4x4-int8'$"):
        Accelerator.connect("sim:any-4x4-int9")
    missing = tmp_path / "ttyNONE"
    with pytest.raises(LinkError, match=rf"^{missing} cannot be opened: no such port; ports that are there: "):
        Accelerator.connect(str(missing))
    with pytest.raises(
        ConfigError, match=r"^where must be a serial port, 'sim:PRESET' or 'netlist:DIR', got 5; nearest is"
    ):
        Accelerator.connect(5)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^baud must be a whole number 300..12000000, got 5; nearest legal value"):
        Accelerator.connect(str(missing), baud=5)
