import numpy as np
import pytest

from tilewright.hdl.stream import Narrow
from tilewright.sim_tests.harness import Run
from tilewright.sim_tests.hdl.stream.bench import ELEMENT, LANES, PACES, bench, taken_while_blocked
from tilewright.sim_tests.hdl.stream.packets import Beat, narrowed, packets

SHAPES = {"narrow3": (LANES, ELEMENT, 3), "narrow4": (1, 5, 4)}


def prepared(label: str, beats: list[Beat], seed: int = 1, **pace: object) -> Run:
    """A run that sends wide ``beats`` and expects what they make."""
    lanes, width, factor = SHAPES[label]
    narrow = narrowed(beats, lanes)
    words = bench().payloads([b.packed(lanes * factor, width) for b in beats], f"{label}_i")
    wanted = bench().payloads([b.packed(lanes, width) for b in narrow], f"{label}_o")
    mask = bench().payloads([b.mask(lanes, width) for b in narrow], f"{label}_o")
    run = bench().run(seed).send(f"{label}_i", words, stall=pace.get("idle"))  # type: ignore[arg-type]
    return run.expect(f"{label}_o", wanted, mask=mask, stall=pace.get("stall"))  # type: ignore[arg-type]


def wide_packets(label: str, count: int, seed: int) -> list[Beat]:
    lanes, width, factor = SHAPES[label]
    return packets(count, lanes * factor, width, seed)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", SHAPES)
def test_kept_elements_come_in_order_without_empty_beats(label: str, pace: str) -> None:
    idle, stall = PACES[pace]
    prepared(label, wide_packets(label, 80, seed=1), 2, idle=idle, stall=stall).execute()


@pytest.mark.parametrize("label", SHAPES)
def test_latency_and_throughput_are_those_of_the_datasheet(label: str) -> None:
    result = prepared(label, wide_packets(label, 40, seed=2)).execute()
    given = result[f"{label}_o"]
    assert given.offer[0] - result[f"{label}_i"].cycle[0] == Narrow.latency
    assert set(np.diff(given.cycle)) == {1 / Narrow.throughput}


@pytest.mark.parametrize("label", SHAPES)
def test_room_while_the_consumer_stops(label: str) -> None:
    lanes, width, factor = SHAPES[label]
    beat = Beat((1,) * lanes * factor, True).packed(lanes * factor, width)
    assert taken_while_blocked(f"{label}_i", [beat] * 5, f"{label}_o") == 2


@pytest.mark.parametrize("label", SHAPES)
def test_a_reset_forgets_the_rest_of_a_beat(label: str) -> None:
    lanes, width, factor = SHAPES[label]
    full = Beat((2,) * lanes * factor, True)
    after = wide_packets(label, 10, seed=5)
    run = bench().run()
    words = [b.packed(lanes * factor, width) for b in [full, *after]]
    run.send(f"{label}_i", bench().payloads(words[:1], f"{label}_i"))
    run.send(f"{label}_i", bench().payloads(words[1:], f"{label}_i"), not_before=20)
    # The beat is taken in cycle 0, its parts leave in cycles 1, 2, ...: one before the reset in cycle 2.
    narrow = [Beat((2,) * lanes, False), *narrowed(after, lanes)]
    wanted = bench().payloads([b.packed(lanes, width) for b in narrow], f"{label}_o")
    mask = bench().payloads([b.mask(lanes, width) for b in narrow], f"{label}_o")
    run.expect(f"{label}_o", wanted, mask=mask).reset(2).execute()


def test_parameters() -> None:
    with pytest.raises(ValueError, match=r"^factor must be at least 2, got 0$"):
        Narrow(2, 8, 0)
    with pytest.raises(ValueError, match=r"^lanes must be at least 1, got 0$"):
        Narrow(0, 8, 2)
