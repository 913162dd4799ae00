"""The sequence that the head of a bare array tells is the one that its bench drives."""

from __future__ import annotations

import re

import pytest

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.schedule import Schedule
from tilewright.generators.emit.sequence import sequence
from tilewright.sim_tests.generators.emit.outputs import ARRAYS, array_files


def told(config: SystolicConfig, letter: str, what: str) -> tuple[int, int]:
    """First and last cycle, as distances from ``letter``, in which the sequence says ``what``."""
    (when,) = (when for when, text in sequence(config) if text.startswith(what) and when.startswith(letter))
    first, _, last = when.partition(" .. ")
    return distance(first), distance(last or first)


def distance(text: str) -> int:
    found = re.search(r"([+-]) (\d+)$", text)
    return int(found[1] + found[2]) if found else 0


def cycles(schedule: Schedule, port: str) -> list[int]:
    """Cycles in which ``port`` is high."""
    return sorted(cycle for cycle, values in schedule.inputs.items() if values.get(port))


@pytest.mark.parametrize("name", ["ws-wrap", "is-wrap", "ws-saturate", "ws-window", "is-window"])
def test_stationary_tiles(name: str) -> None:
    config = systolic_config(ARRAYS[name])
    schedule = Schedule(config)
    starts, shifts = cycles(schedule, "swap"), cycles(schedule, "shift")
    first, last = told(config, "t", "y, operands to hold")
    assert shifts == [t + d for t in starts for d in range(first, last + 1)]
    assert cycles(schedule, "done") == [t + last for t in starts]
    assert min(schedule.sums) == starts[0] + told(config, "t + s", "sums of step s")[0]
    if config.seeded:
        assert cycles(schedule, "seeds")[0] == starts[0] + told(config, "t + s", "seeds of step s")[0]


@pytest.mark.parametrize("name", ["ws-bf16-stepped", "is-mixed-stepped"])
def test_stationary_tiles_whose_rows_follow_at_the_pace_of_the_add(name: str) -> None:
    config = systolic_config(ARRAYS[name])
    schedule = Schedule(config)
    starts = cycles(schedule, "swap")
    first, last = told(config, "t", "y, operands to hold")
    assert cycles(schedule, "load") == [t + first for t in starts]
    assert set(cycles(schedule, "y")) == {t + d for t in starts for d in range(first, last + 1)}
    assert min(schedule.sums) == starts[0] + told(config, "t + s", "sums of step s")[0]
    assert cycles(schedule, "seeds")[0] == starts[0] + told(config, "t + s", "seeds of step s")[0]


@pytest.mark.parametrize("name", ["os-wrap", "os-saturate", "os-window", "os-fp16-stepped"])
def test_output_stationary_tiles(name: str) -> None:
    config = systolic_config(ARRAYS[name])
    schedule = Schedule(config)
    ends = [cycle - told(config, "e", "capture")[0] for cycle in cycles(schedule, "capture")]
    assert cycles(schedule, "x")[-1] == ends[-1]
    assert cycles(schedule, "drain") == [e + told(config, "e", "drain")[0] for e in ends]
    first, last = told(config, "e", "sums")
    assert sorted(schedule.sums) == [e + d for e in ends for d in range(first, last + 1)]
    if not config.seeded:
        assert cycles(schedule, "clear") == [e + told(config, "e", "clear")[0] for e in ends]
        return
    starts = [cycle - told(config, "t", "start")[0] for cycle in cycles(schedule, "start")]
    first, last = told(config, "t", "seeds")
    assert cycles(schedule, "seed_shift") == [t + d for t in starts for d in range(first, last + 1)]
    assert cycles(schedule, "seed_done") == [t + last for t in starts]


def test_tiles_of_an_array_that_can_do_all() -> None:
    config = systolic_config(ARRAYS["any-saturate"])
    schedule = Schedule(config)
    high = {
        port: set(cycles(schedule, port)) for port in ("x", "swap", "shift", "capture", "pass_sum", "done", "drain")
    }
    ends = [cycle - told(config, "e", "drain")[0] for cycle in sorted(high["drain"])]
    starts = [cycle - told(config, "t", "start")[0] for cycle in cycles(schedule, "start")]
    assert len(starts) == len(ends) == 3
    for t, e in zip(starts, ends, strict=True):
        for port, what in (("swap", "x, a column"), ("shift", "shift high")):
            first, last = told(config, "t", what)
            assert high[port] >= set(range(t + first, e + last + 1))
        assert e + told(config, "e", "capture")[0] in high["capture"]
        assert not high["done"] & set(range(t - 1, e + config.rows))
    tiles = sorted(cycle + 1 for cycle in high["done"])
    assert len(tiles) == 6  # weight- and input-stationary
    first, last = told(config, "t", "y, operands to hold")
    after = told(config, "t + s", "pass_sum and capture")[0]
    for t in tiles:
        assert t in high["swap"] and high["shift"] >= set(range(t + first, t + last + 1))
        assert t + after in high["pass_sum"] & high["capture"]


@pytest.mark.parametrize("name", ARRAYS)
def test_head_and_readme_of_an_array_tell_of_an_array(name: str) -> None:
    files = array_files(name)
    head = files["tilewright_gemm.v"].partition("\nmodule ")[0]
    config = systolic_config(ARRAYS[name])
    assert all(what in head for _, what in sequence(config))
    assert max(map(len, head.splitlines())) <= 121
    assert "of commands" not in head and "COMMAND" not in head
    assert "record" not in files["README.txt"] and "ecord" not in files["tilewright_gemm.h"]
    width = re.search(r"output sums \d x (\d+)( signed|  )", head)
    assert width is not None and ("signed" in width[2]) == (config.integers is not None)
    assert re.search(rf"\bsums {f'int{width[1]}' if config.integers else config.acc}\b", head)
    table = [line for line in files["README.txt"].splitlines() if line.startswith("  ") and "  " in line.strip()]
    assert len({re.match(r"  \S+ +", line).end() for line in table}) == 1  # type: ignore[union-attr]
