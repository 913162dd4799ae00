"""``tilewright selftest``: what it says of a core that is right, of one that is not, and of a place that is none."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.link import core_selftest
from tilewright.generators.commands.app import run

WHERE = "sim:any-4x4-int8"


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the programs that go before the products there is little."""
    monkeypatch.setattr(core_selftest, "PART", 8)
    monkeypatch.setattr(core_selftest.CoreTest, "sweep", lambda core: None)


def test_a_core_that_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["selftest", WHERE, "--products", "3", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["products"] == 3 and found["results"] > 9 and found["config"]["rows"] == 4
    assert min(found[name] for name in ("commands", "transfers", "refusals", "frames")) > 0
    assert run(["selftest", WHERE, "--products", "1"]) == 0
    assert f"{WHERE}: 4x4 any, int8 x int8 -> int32: 1 product, " in capsys.readouterr().out.replace("\n", " ")


def test_a_core_that_is_wrong(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    right = Accelerator.matmul

    def wrong(accelerator: Accelerator, a: Any, b: Any) -> Any:
        found = np.array(right(accelerator, a, b))
        found[-1, -1] ^= 1
        return found

    monkeypatch.setattr(Accelerator, "matmul", wrong)
    assert run(["selftest", WHERE]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "error: product 1 of 20, " in said and ", seed 1: 1 of " in said and ", expected " in said


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["/dev/ttyNONE"], 1, "/dev/ttyNONE cannot be opened: no such port; ports that are there: "),
        (["netlist:/nowhere"], 2, "a build must be a folder that tilewright build has written, got '/nowhere'"),
        (
            [WHERE, "--products", "0"],
            2,
            "--products must be a whole number 1..1000000, got 0; nearest legal value is 1",
        ),
    ],
)
def test_places_and_numbers_that_are_none(
    words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["selftest", *words]) == code
    assert message in " ".join(capsys.readouterr().err.split())
