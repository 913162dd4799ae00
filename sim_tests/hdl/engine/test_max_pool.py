"""Maxima of 2 x 2 elements: pictures of all sizes, records back to back, orders of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.reference.finish import max_pool
from tilewright.hdl.engine.max_pool import MaxPool
from tilewright.hdl.engine.records import FINISH_ORDER
from tilewright.hdl.numeric import BF16, IntFormat, decode
from tilewright.sim_tests.harness import Result
from tilewright.sim_tests.hdl.engine.finish_blocks import POOLS, bench
from tilewright.sim_tests.hdl.engine.finish_runs import beats, noisy, record
from tilewright.sim_tests.hdl.stream.bench import PACES

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Picture:
    """Lines x pixels x channels, and whether it is pooled or passes."""

    codes: Codes
    pools: bool = True

    @property
    def pixels(self) -> Codes:
        return self.codes.reshape(-1, self.codes.shape[2])

    def results(self, block: MaxPool) -> Codes:
        found = max_pool(self.codes, block.format) if self.pools else self.codes
        return found.reshape(-1, self.codes.shape[2])


def run(label: str, pictures: Sequence[Picture], pace: str = "full speed", seed: int = 1) -> Result:
    block, rng = POOLS[label], np.random.default_rng(seed)
    lanes, width, (idle, stall) = block.lanes, block.format.width, PACES[pace]
    orders = [
        {"cols": each.codes.shape[2], "pool_width": each.codes.shape[1] if each.pools else 0} for each in pictures
    ]
    given = [noisy(beat, lanes, width, rng) for each in pictures for beat in beats(each.pixels, lanes, width)]
    wanted = [beat for each in pictures for beat in beats(each.results(block), lanes, width)]
    planned = bench().run(seed)
    words = bench().payloads([record(FINISH_ORDER, order) for order in orders], f"{label}_order")
    planned.send(f"{label}_order", words, stall=idle / 2)
    planned.send(f"{label}_i", bench().payloads(given, f"{label}_i"), stall=idle)
    planned.expect(
        f"{label}_o",
        bench().payloads([beat.packed(lanes, width) for beat in wanted], f"{label}_o"),
        mask=bench().payloads([beat.mask(lanes, width) for beat in wanted], f"{label}_o"),
        stall=stall,
    )
    return planned.execute()


def picture(
    label: str, rng: np.random.Generator, lines: int, pixels: int, channels: int, pools: bool = True
) -> Picture:
    fmt = POOLS[label].format
    if isinstance(fmt, IntFormat):
        return Picture(rng.integers(fmt.min, fmt.max, (lines, pixels, channels), endpoint=True), pools)
    codes = rng.integers(0, 1 << fmt.width, (lines, pixels, channels))
    return Picture(np.where(np.isnan(decode(codes, fmt)), fmt.nan_bits, codes), pools)


def sizes(label: str) -> list[tuple[int, int, int]]:
    """Lines, pixels and channels: least, most that fits, between."""
    block, found = POOLS[label], []
    for panels in range(1, block.words + 1):
        for channels in {(panels - 1) * block.lanes + 1, panels * block.lanes}:
            for lines in (2, 4):
                found += [(lines, pixels, channels) for pixels in {2, 2 * (block.words // panels)}]
    return found


@pytest.mark.parametrize("label", POOLS)
def test_pictures_of_all_sizes_back_to_back(label: str) -> None:
    rng = np.random.default_rng(1)
    run(label, [picture(label, rng, *size) for size in sizes(label)])


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", POOLS)
def test_pictures_and_matrices_that_pass(label: str, pace: str) -> None:
    rng, found = np.random.default_rng(2), sizes(label)
    chosen = [found[int(rng.integers(0, len(found)))] for _ in range(12)]
    pictures = [picture(label, rng, *size, pools=index % 3 > 0) for index, size in enumerate(chosen)]
    run(label, [*pictures, picture(label, rng, 1, 3, POOLS[label].lanes, pools=False)], pace)


@pytest.mark.parametrize("label", POOLS)
def test_the_greatest_may_be_anywhere(label: str) -> None:
    block = POOLS[label]
    fmt = block.format
    if isinstance(fmt, IntFormat):
        ends = [fmt.min, fmt.min + 1, -1 if fmt.signed else 0, 0, 1, fmt.max]
    else:
        infinity = fmt.infinity_bits if fmt.infinity_bits is not None else fmt.largest_bits
        ends = [infinity | fmt.sign_bit, fmt.sign_bit | 1, fmt.sign_bit, 0, 1, infinity, fmt.nan_bits]
    corners = np.array(np.meshgrid(ends, ends, ends, ends)).reshape(4, -1)  # ascending from the first to the last
    pictures = []
    for first in range(0, corners.shape[1], block.words):
        part = corners[:, first : first + block.words]
        codes = np.zeros((2, 2 * part.shape[1], 1), np.int64)
        for place in range(4):
            codes[place // 2, place % 2 :: 2, 0] = part[place]
        pictures.append(Picture(codes))
        assert pictures[-1].results(block)[:, 0].tolist() == [max(each, key=ends.index) for each in part.T.tolist()]
    run(label, pictures)


def test_latency_and_throughput_are_those_of_the_datasheet() -> None:
    rng = np.random.default_rng(4)
    result = run("pool_int8", [picture("pool_int8", rng, 4, 6, 9), picture("pool_int8", rng, 2, 10, 4, pools=False)])
    taken, given = result["pool_int8_i"].cycle, result["pool_int8_o"]
    panels, pooled = 3, 6 * 3
    assert given.offer[0] - taken[7 * panels] == MaxPool.latency
    assert given.offer[-1] - taken[-1] == MaxPool.latency and len(given) == pooled + 20
    assert set(np.diff(taken)) == {1}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [((0, 1), "lanes must be at least 1, got 0"), ((1, 0), "words must be at least 1, got 0")],
)
def test_what_is_refused(arguments: tuple[int, int], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        MaxPool(arguments[0], BF16, arguments[1])
    assert str(caught.value) == sentence
