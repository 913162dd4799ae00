"""Formats by name, and the integers that stand for their values."""

import pytest

from tilewright.hdl.numeric import BF16, FLOAT_FORMATS, FxFormat, IntFormat, code_format, parse_format


@pytest.mark.parametrize("name", ["int2", "uint16", "int64", "fx7", "fx48", *FLOAT_FORMATS])
def test_a_format_has_the_name_by_which_it_is_found(name: str) -> None:
    assert str(parse_format(name)) == name


@pytest.mark.parametrize("name", ["", "int", "int0", "int65", "fx", "fx1", "fx65", "float", "BF16", "bf16 "])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^format must be int<N>, uint<N>, fx<N> or one of bf16, .*, got '"):
        parse_format(name)


def test_codes() -> None:
    assert code_format(IntFormat(5)) == IntFormat(5)
    assert code_format(BF16) == IntFormat(16, signed=False)
    assert code_format(FxFormat(48)) == IntFormat(51, signed=False)  # the integer and three flags
    with pytest.raises(ValueError, match="got 65"):
        code_format(FxFormat(62))
