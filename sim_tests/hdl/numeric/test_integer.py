import itertools

import numpy as np
import pytest

from tilewright.hdl.numeric import IntFormat, dot_bits, safe_k, saturate, wrap
from tilewright.hdl.numeric.integer import product_range

EVERY = [IntFormat(width, signed) for width in range(1, 65) for signed in (True, False)]
SMALL = [fmt for fmt in EVERY if fmt.width <= 5]


def values(fmt: IntFormat) -> range:
    """All values of a format, from its definition."""
    bits = 1 << fmt.width
    return range(-bits // 2, bits // 2) if fmt.signed else range(bits)


def fits(low: int, high: int, bits: int) -> bool:
    return -(1 << bits - 1) <= low and high < 1 << bits - 1


def test_names_and_ranges() -> None:
    for fmt in EVERY:
        assert IntFormat.parse(str(fmt)) == fmt
        assert range(fmt.min, fmt.max + 1) == values(fmt)
    assert str(IntFormat(4)) == "int4"
    assert str(IntFormat(16, signed=False)) == "uint16"


@pytest.mark.parametrize(
    "name", ["", "int", "int08", "int0", "int-4", "INT8", "int8 ", "sint8", "uint1.5", "float8", "int8\n"]
)
def test_names_of_nothing(name: str) -> None:
    with pytest.raises(ValueError, match=r"^format must be int<N> or uint<N>, got "):
        IntFormat.parse(name)


@pytest.mark.parametrize("width", [-8, 0, 65])
def test_width(width: int) -> None:
    with pytest.raises(ValueError, match=rf"^integer width must be 1..64 bits, got {width}$"):
        IntFormat(width)


def test_products_of_all_values() -> None:
    for a, b in itertools.product(SMALL, repeat=2):
        products = [x * y for x in values(a) for y in values(b)]
        assert product_range(a, b) == (min(products), max(products)), f"{a} x {b}"


def test_dot_bits_are_enough_and_no_more() -> None:
    for a, b, terms in itertools.product(SMALL, SMALL, (1, 2, 3, 4, 7, 8, 16)):
        products = [x * y for x in values(a) for y in values(b)]
        low, high, bits = terms * min(products), terms * max(products), dot_bits(a, b, terms)
        assert fits(low, high, bits), f"{terms} {a} x {b}"
        assert bits == 1 or not fits(low, high, bits - 1), f"{terms} {a} x {b}"


@pytest.mark.parametrize(("a", "b", "bits"), [("int8", "int8", 16), ("uint8", "uint8", 17), ("int16", "uint16", 32)])
def test_bits_of_one_product(a: str, b: str, bits: int) -> None:
    assert dot_bits(IntFormat.parse(a), IntFormat.parse(b), 1) == bits


def test_one_product_of_unsigned_needs_a_bit_more() -> None:
    for a, b in itertools.product(range(2, 17), repeat=2):
        assert dot_bits(IntFormat(a, signed=False), IntFormat(b, signed=False), 1) == a + b + 1


def test_safe_k_holds_at_its_edge_and_not_one_past_it() -> None:
    for a, b, acc in itertools.product(SMALL, SMALL, (8, 9, 12, 16)):
        products = [x * y for x in values(a) for y in values(b)]
        k = safe_k(a, b, IntFormat(acc))
        assert fits(k * min(products), k * max(products), acc), f"{a} x {b} in int{acc}"
        assert not fits((k + 1) * min(products), (k + 1) * max(products), acc), f"{a} x {b} in int{acc}"


def test_safe_k_of_common_formats() -> None:
    int8, acc = IntFormat(8), IntFormat(32)
    assert safe_k(int8, int8, acc) == (2**31 - 1) // 2**14
    assert safe_k(IntFormat(8, signed=False), int8, acc) == 2**31 // (255 * 128)


def edges(fmt: IntFormat) -> list[int]:
    """Values around the limits of a format and of int64, and some between."""
    near = [limit + delta for limit in (fmt.min, fmt.max, 0) for delta in range(-3, 4)]
    near += [-(1 << 63), (1 << 63) - 1, *np.random.default_rng(fmt.width).integers(-(1 << 63), 1 << 63, 20).tolist()]
    return [value for value in near if -(1 << 63) <= value < 1 << 63]


def test_wrap_is_modulo_two_to_the_width() -> None:
    for fmt in EVERY:
        given = edges(fmt) + (list(range(-100, 100)) if fmt.width < 7 else [])
        for value, got in zip(given, wrap(given, fmt).tolist(), strict=True):
            assert (got - value) % (1 << fmt.width) == 0, f"{value} as {fmt}"
            # Sixty-four bits without sign come as the bits of an int64.
            assert fmt == IntFormat(64, signed=False) or fmt.min <= got <= fmt.max, f"{value} as {fmt}"


def test_saturate_is_the_nearest_value() -> None:
    for fmt in EVERY:
        given = edges(fmt) + (list(range(-100, 100)) if fmt.width < 7 else [])
        wanted = [min(max(value, fmt.min), fmt.max) for value in given]
        assert saturate(given, fmt).tolist() == wanted, str(fmt)


def test_shapes_stay() -> None:
    matrix = np.arange(-12, 12).reshape(2, 3, 4)
    assert wrap(matrix, IntFormat(3)).shape == saturate(matrix, IntFormat(3)).shape == (2, 3, 4)
