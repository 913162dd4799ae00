"""Programs as text."""

from __future__ import annotations

import re

from tilewright.generators.program.encode import decode, encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.listing import listing
from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.sim_tests.generators.program.engines import SMALL

EXPECTED = """\
    0  FINISH 5 * 2**-7 + -1, -9..9
    1  STORE_TENSOR 0: line 4; rows 65535 by 4 B
    2  LOAD_TENSOR 1: line 4; rows 65535 by 4 B
    3  LOAD_TENSOR 0: line 6; rows 65535 by 8 B
    4  LOAD_TENSOR 2: line 4; rows 65535 by 16 B
    5  LOAD B[0] = 4x4 of tensor 1 at 0x200+0  gives b_full
    6  LOAD A[0] = 2x4 of tensor 0 at 0x100+0  gives a_full
    7  LOAD C0[2] = 1x4 of tensor 2 at 0x400+0  gives start_full
    8  LOAD B[4] = 2x4 of tensor 1 at 0x210+0  gives b_full
    9  LOAD A[2] = 2x2 of tensor 0 at 0x100+4  gives a_full
   10  GEMM C0[0] = bias[2] + A[0] B[0]  2x4x4 ws  waits a_full b_full start_full
   11  GEMM C0[0] = C + A[2] B[4]  2x4x2 ws  waits a_full b_full  gives c_summed
   12  STORE 2x4 of tensor 0 at 0x300+0 = C0[0] finished  waits c_summed
   13  END
"""


def test_a_program() -> None:
    product = Product(
        Matrix(0x100, 2, 6, 1, pitch=8),
        Matrix(0x200, 6, 4, 1),
        Matrix(0x300, 2, 4, 1),
        Matrix(0x400, 1, 4, 4),
        finish=Finish(5, 7, -1, -9, 9),
    )
    program = gemm_program(product, Tiling("ws", "mn", 2, 4, 4), SMALL)
    for text in (listing(program), listing(decode(encode(program)))):
        assert re.sub(r"(?<=\S) {2,}", "  ", text) == EXPECTED
