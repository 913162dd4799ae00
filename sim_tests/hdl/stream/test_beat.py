import pytest
from amaranth.hdl import signed, unsigned

from tilewright.hdl.stream.beat import beat_layout, field_offset, payload_name


def test_layout() -> None:
    layout = beat_layout(3, 5)
    assert {name: (field.offset, field.width) for name, field in layout} == {
        "data": (0, 15),
        "keep": (15, 3),
        "last": (18, 1),
    }
    assert [field_offset(layout, name) for name in ("data", "keep", "last", "user")] == [0, 15, 18, None]
    assert field_offset(unsigned(8), "last") is None


@pytest.mark.parametrize("lanes_width", [(0, 8), (-1, 8), (4, 0)])
def test_sizes(lanes_width: tuple[int, int]) -> None:
    lanes, width = lanes_width
    field, value = ("lanes", lanes) if lanes < 1 else ("width", width)
    with pytest.raises(ValueError, match=rf"^{field} must be at least 1, got {value}$"):
        beat_layout(lanes, width)


def test_payloads_that_differ_have_different_names() -> None:
    assert [payload_name(shape) for shape in (8, signed(8), beat_layout(1, 6))] == ["8", "s8", "8"]
