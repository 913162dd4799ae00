import numpy as np
import pytest

from tilewright.hdl.stream import Widen
from tilewright.sim_tests.harness import Limits, Run
from tilewright.sim_tests.harness.run import execute
from tilewright.sim_tests.hdl.stream.bench import ELEMENT, LANES, NEVER, PACES, bench
from tilewright.sim_tests.hdl.stream.packets import Beat, packets, widened

SHAPES = {"widen3": (LANES, ELEMENT, 3), "widen4": (1, 5, 4)}


def prepared(label: str, beats: list[Beat], seed: int = 1, **pace: object) -> Run:
    """A run that sends ``beats`` and expects what they make."""
    lanes, width, factor = SHAPES[label]
    wide = [beat for beat, _ in widened(beats, lanes, factor)]
    words = bench().payloads([b.packed(lanes, width) for b in beats], f"{label}_i")
    wanted = bench().payloads([b.packed(lanes * factor, width) for b in wide], f"{label}_o")
    mask = bench().payloads([b.mask(lanes * factor, width) for b in wide], f"{label}_o")
    run = bench().run(seed).send(f"{label}_i", words, stall=pace.get("idle"))  # type: ignore[arg-type]
    return run.expect(f"{label}_o", wanted, mask=mask, stall=pace.get("stall"))  # type: ignore[arg-type]


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", SHAPES)
def test_packets_and_rows_start_on_a_new_beat(label: str, pace: str) -> None:
    idle, stall = PACES[pace]
    lanes, width, _ = SHAPES[label]
    prepared(label, packets(150, lanes, width, seed=1), 2, idle=idle, stall=stall).execute()


@pytest.mark.parametrize("label", SHAPES)
def test_latency_and_throughput_are_those_of_the_datasheet(label: str) -> None:
    lanes, width, factor = SHAPES[label]
    beats = packets(40, lanes, width, seed=2)
    result = prepared(label, beats).execute()
    taken = result[f"{label}_i"].cycle
    closing = [index for _, index in widened(beats, lanes, factor)]
    assert set(np.diff(taken)) == {1 / Widen.throughput}
    assert set(result[f"{label}_o"].offer - taken[closing]) == {Widen.latency}


@pytest.mark.parametrize("label", SHAPES)
def test_packets_of_one_beat_follow_without_a_gap(label: str) -> None:
    lanes = SHAPES[label][0]
    beats = [Beat((index % 30,) * lanes, True) for index in range(50)]
    result = prepared(label, beats).execute()
    assert set(np.diff(result[f"{label}_o"].cycle)) == {1}
    prepared(label, beats, 3, idle=0.2, stall=0.5).execute()


@pytest.mark.parametrize("label", SHAPES)
def test_room_while_the_consumer_stops(label: str) -> None:
    lanes, width, factor = SHAPES[label]
    words = [Beat((1,) * lanes, False).packed(lanes, width)] * (3 * factor)
    run = bench().run().send(f"{label}_i", bench().payloads(words, f"{label}_i")).limits(Limits(quiet=40))
    run.expect(f"{label}_o", None, stall=NEVER)
    assert len(execute(run.build, run.plan)[f"{label}_i"]) == 2 * factor


@pytest.mark.parametrize("label", SHAPES)
def test_a_reset_forgets_a_begun_beat(label: str) -> None:
    lanes, width, factor = SHAPES[label]
    begun = [Beat((3,) * lanes, False)] * (factor - 1)
    after = packets(10, lanes, width, seed=4)
    run = prepared(label, after)
    words = [b.packed(lanes, width) for b in [*begun, *after]]
    run.plan.streams[run.build.interface.index(f"{label}_i")].chunks.clear()
    run.send(f"{label}_i", bench().payloads(words[: factor - 1], f"{label}_i"))
    run.send(f"{label}_i", bench().payloads(words[factor - 1 :], f"{label}_i"), not_before=20)
    run.reset(10).execute()


def test_parameters() -> None:
    with pytest.raises(ValueError, match=r"^factor must be at least 2, got 1$"):
        Widen(2, 8, 1)
    with pytest.raises(ValueError, match=r"^lanes must be at least 1, got 0$"):
        Widen(0, 8, 2)
    with pytest.raises(ValueError, match=r"^width must be at least 1, got -3$"):
        Widen(2, -3, 2)
