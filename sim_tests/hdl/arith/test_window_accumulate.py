"""Products placed in windows and added there, against the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from numpy.typing import NDArray

from tilewright.hdl.arith.window_dot import window_dot
from tilewright.hdl.numeric import (
    BF16,
    FloatFormat,
    FxFormat,
    WindowSum,
    accumulate_step,
    empty_sum,
    encode,
    exact_point,
    highest_point,
    place_products,
    window_chain,
)
from tilewright.sim_tests.hdl.arith.unit_bench import bench
from tilewright.sim_tests.hdl.arith.window_blocks import BYTES, LANES, LOOP, MACS, WindowMac

Codes = NDArray[np.int64]
SUM_FIELDS = ("integers", "overflow", "underflow", "invalid")
FLAGS = {"invalid": 1, "overflow": 2, "underflow": 4}


def packed(codes: NDArray[Any], width: int) -> list[int]:
    """Each row as one word, element 0 at its low end."""
    found = np.zeros(len(codes), dtype=object)
    for index in range(codes.shape[1]):
        found += codes[:, index].astype(object) << width * index
    return list(found)


def words(total: WindowSum, width: int) -> NDArray[np.object_]:
    """What the hardware holds for these sums."""
    held = total.integers.astype(object) % (1 << width)
    for flag, bit in FLAGS.items():
        held += getattr(total, flag).astype(object) * (bit << width)
    return np.asarray(held)


def step_of(mac: WindowMac, x: Codes, w: Codes, present: Codes, point: int, start: WindowSum) -> WindowSum:
    """The model's totals: ``x``, ``w`` and ``present`` have a row for each step."""
    terms = []
    for element in range(mac.vector):
        term = place_products(x[:, element], w[:, element], mac.formats, mac.window, point)
        terms.append(WindowSum(*(getattr(term, field) * present[:, element] for field in SUM_FIELDS)))
    return accumulate_step(start, terms, mac.window)


class Steps:
    """Steps of a block, gathered and then run at once."""

    def __init__(self, label: str) -> None:
        self.label, self.mac, self.said = label, MACS[label], list[str]()
        self.inputs: dict[str, list[int]] = {"x": [], "w": [], "present": [], "point": [], "start": []}
        self.want: list[int] = []

    def add(self, x: Codes, w: Codes, present: Codes, point: int, start: WindowSum) -> WindowSum:
        """Some with one point; returns the model's totals."""
        mac, width = self.mac, self.mac.window.width
        columns = packed(x, mac.formats[0].width), packed(w, mac.formats[1].width), packed(present, 1)
        rows = dict(zip(self.inputs, (*columns, [point] * len(x), list(words(start, width))), strict=True))
        for name, values in rows.items():
            self.inputs[name] += values
        total = step_of(mac, x, w, present, point, start)
        self.want += list(words(total, width))
        return total

    def check(self) -> None:
        """Raises AssertionError unless the hardware's totals are those of the model, and as late as promised."""
        late = [0] * self.mac.pipeline
        inputs = {name: late + rows if name == "start" else rows + late for name, rows in self.inputs.items()}
        got = bench().wiggle(self.label, inputs)["total"][len(late) :]
        wrong = [row for row in range(len(self.want)) if got[row] != self.want[row]]
        if wrong:
            case = {name: hex(rows[wrong[0]]) for name, rows in self.inputs.items()}
            raise AssertionError(f"{len(wrong)} wrong, {case}: {got[wrong[0]]:#x} is not {self.want[wrong[0]]:#x}")


@pytest.mark.parametrize("label", BYTES)
def test_every_product_of_two_bytes(label: str) -> None:
    mac = BYTES[label]
    width, late = mac.window.width, [0] * mac.pipeline
    x, w = np.divmod(np.arange(1 << 16), 256)
    on = np.ones((1 << 16, 1), dtype=np.int64)
    whole, high = exact_point(*mac.formats), highest_point(mac.window, *mac.formats)
    rows = [packed(codes.reshape(-1, LANES), 8) + late for codes in (x, w)]
    for point in (whole - 7, high + 9, (whole - width + high) // 2):
        inputs = {"x": rows[0], "w": rows[1], "point": [point] * len(rows[0]), "present": [1] * len(rows[0])}
        got = bench().wiggle(label, inputs)["total"][mac.pipeline :]
        total = step_of(mac, x[:, None], w[:, None], on, point, empty_sum((1 << 16,)))
        assert total.overflow.any() or total.underflow.any()
        want = packed(words(total, width).reshape(-1, LANES), width + 3)
        wrong = [row * LANES for row in range(len(want)) if got[row] != want[row]]
        assert not wrong, f"one of x {x[wrong[0]]} and w from {w[wrong[0]]} on, point {point}"


def operands(fmt: FloatFormat, rng: np.random.Generator, shape: tuple[int, int]) -> Codes:
    """Codes of a format: any, of few significant bits, subnormal, about 1; NaN and infinity now and then."""
    codes = rng.integers(0, 1 << fmt.width, shape)
    magnitude, fraction = fmt.sign_bit - 1, (1 << fmt.fraction_bits) - 1
    few = codes & ~(fraction >> rng.integers(0, fmt.fraction_bits + 1, shape))
    ends = rng.choice([0, 1, 2, fmt.largest_bits, fmt.largest_bits - 1, fmt.nan_bits, magnitude], shape)
    about_one = (codes & (fmt.sign_bit | fraction)) | (fmt.bias + rng.integers(-1, 2, shape)) << fmt.fraction_bits
    kinds = rng.choice(5, shape, p=(0.2, 0.2, 0.02, 0.08, 0.5))
    return np.choose(kinds, (codes, few, ends | (codes & fmt.sign_bit), codes & (fmt.sign_bit | fraction), about_one))


def starts(window: FxFormat, rng: np.random.Generator, count: int) -> WindowSum:
    """Sums anywhere, and at the ends of a window and at 0; now and then with flags."""
    near = rng.choice((window.min, window.max, 0), count)
    near += np.where(near == 0, 1, -np.sign(near)) * rng.integers(0, 4, count)
    drawn = rng.integers(window.min, window.max, count, endpoint=True)
    return WindowSum(np.where(rng.random(count) < 0.5, near, drawn), *(rng.random((3, count)) < 0.02))


@pytest.mark.parametrize("label", MACS)
def test_any_step(label: str) -> None:
    steps, rng = Steps(label), np.random.default_rng(len(label))
    mac = steps.mac
    whole, high = exact_point(*mac.formats), highest_point(mac.window, *mac.formats)
    middle = mac.window.width // 2  # where products of numbers about 1 lie then
    for point in (whole, high, middle, middle - 3, 0, mac.window.width - 1, -512, 512):
        shape = (500, mac.vector)
        x, w = (operands(fmt, rng, shape) for fmt in mac.formats)
        steps.add(x, w, (rng.random(shape) < 0.9).astype(np.int64), point, starts(mac.window, rng, len(x)))
    steps.check()


@pytest.mark.parametrize("label", [label for label, mac in MACS.items() if mac.vector == 1])
def test_every_place_of_the_window_and_around_it(label: str) -> None:
    """Products of 1 to 4 of both signs, powers of two among them, from below the window to above it."""
    steps, rng = Steps(label), np.random.default_rng(len(label))
    x_fmt, w_fmt = steps.mac.formats
    all_ones = [(1 << fmt.fraction_bits) - 1 for fmt in steps.mac.formats]
    x_fractions = (0, 1, all_ones[0], 1 << (x_fmt.fraction_bits - 1), int(rng.integers(all_ones[0])))
    w_fractions = (0, 1, all_ones[1], int(rng.integers(all_ones[1])))
    pairs = [(x, sign, w) for x in x_fractions for sign in (0, x_fmt.sign_bit) for w in w_fractions]
    x = np.array([[x_fmt.bias << x_fmt.fraction_bits | x | sign] for x, sign, _ in pairs])
    w = np.array([[w_fmt.bias << w_fmt.fraction_bits | w] for _, _, w in pairs])
    on = np.ones_like(x)
    bits = x_fmt.fraction_bits + w_fmt.fraction_bits
    for point in range(-4, steps.mac.window.width + 2):
        placed = steps.add(x, w, on, point, empty_sum((len(x),)))
        assert placed.underflow.any() == (point < bits)
        assert placed.overflow.any() == (point >= steps.mac.window.width - 2)
        steps.add(x, w, on, point, starts(steps.mac.window, rng, len(x)))
    steps.check()


ONE, TINY, NAN, INFINITY, MINUS = 0x3F80, 0x0001, 0x7FC0, 0x7F80, 0x8000


@pytest.mark.parametrize(
    ("x", "w", "point", "integer", "flags"),
    [
        (ONE, ONE, 47, -(1 << 47), 2),
        (ONE | MINUS, ONE, 47, -(1 << 47), 0),  # the least number of the window
        (ONE | MINUS, ONE, 48, 0, 2),
        (ONE, ONE, -1, 1, 4),  # half a place goes away from zero
        (ONE | MINUS, ONE, -1, -1, 4),
        (ONE + 1, ONE | MINUS, -1, -1, 4),
        (ONE - 1, ONE, -1, 0, 4),
        (ONE - 1, ONE | MINUS, -1, 0, 4),
        (ONE, ONE, -2, 0, 4),
        (ONE, ONE, -300, 0, 4),
        (ONE, ONE, 512, 0, 2),
        (TINY, TINY, 266, 1, 0),
        (TINY | MINUS, TINY, 265, -1, 4),
        (TINY, TINY, 512, 0, 2),
        (TINY, ONE, 133, 1, 0),
        (MINUS, ONE, 40, 0, 0),
        (0, TINY, -512, 0, 0),
        (0, MINUS, 512, 0, 0),
        (NAN, ONE, 0, 0, 1),
        (INFINITY, 0, 512, 0, 1),
        (ONE, INFINITY | MINUS, -512, 0, 1),
        (NAN, INFINITY, 20, 0, 1),
    ],
)
def test_products_at_the_ends(x: int, w: int, point: int, integer: int, flags: int) -> None:
    zeros = [0, 0, 0]
    inputs = {"x": [x, *zeros], "w": [w, *zeros], "point": [point, *zeros], "present": [1, *zeros]}
    assert bench().wiggle("bf16_fx48", inputs)["total"][3] == integer % (1 << 48) | flags << 48
    # What is masked adds nothing and sets no flag.
    inputs |= {"present": [0] * 4, "start": [*zeros, 77]}
    assert bench().wiggle("bf16_fx48", inputs)["total"][3] == 77


def test_a_sum_in_any_order_has_the_same_bits() -> None:
    rng, count, late = np.random.default_rng(7), 60, 3
    x, w = (encode(rng.normal(0, 4, count), BF16).astype(np.int64) for _ in range(2))
    orders = [np.arange(count), np.arange(count)[::-1], *(rng.permutation(count) for _ in range(20))]
    for point, overflows in ((24, False), (29, False), (33, True)):
        inputs = {"x": np.concatenate([x[order] for order in orders]).tolist() + [0] * late}
        inputs["w"] = np.concatenate([w[order] for order in orders]).tolist() + [0] * late
        inputs["first"] = [int(k % count == 0) for k in range(count * len(orders))] + [1] * late
        inputs["point"] = [point] * len(inputs["x"])
        totals = bench().wiggle("loop", inputs)["total"][count + late - 1 :: count]
        chains = [window_chain(x[None, o], w[o, None], (BF16, BF16), LOOP.window, point) for o in orders]
        assert totals == [words(chain, LOOP.window.width).item() for chain in chains]
        assert len({total % (1 << LOOP.window.width) for total in totals}) == 1
        assert any(chain.overflow.item() for chain in chains) == overflows


@pytest.mark.parametrize(
    ("vector", "pipeline", "width", "sentence"),
    [
        (3, 0, 48, "vector must be a power of two, got 3; nearest legal value is 2"),
        (0, 0, 48, "vector must be a power of two, got 0; nearest legal value is 1"),
        (1, -1, 48, "pipeline must be at least 0 registers, got -1; nearest legal value is 0"),
        (1, 0, 16, "a window must hold one product of bf16 and bf16, got fx16; nearest legal value is fx17"),
    ],
)
def test_what_is_refused(vector: int, pipeline: int, width: int, sentence: str) -> None:
    m, code, point = Module(), Signal(16 * max(vector, 1)), Signal(11)
    m._MustUse__silence = True  # never elaborated
    with pytest.raises(ValueError) as caught:
        window_dot(m, code, code, BF16, BF16, vector, pipeline, Signal(max(vector, 1)), point, width)
    assert str(caught.value) == sentence
