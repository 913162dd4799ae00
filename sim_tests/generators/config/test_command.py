"""The canonical command says all that decides the output, and no more."""

from __future__ import annotations

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.systolic import SystolicConfig, systolic_config


def test_defaults_are_told_where_a_reader_looks_for_them() -> None:
    assert canonical_command(SystolicConfig()) == (
        "tilewright systolic --product core --rows 16 --cols 16 --dataflow ws --a int8 --b int8 --acc int32"
    )


def test_choices_are_told_in_the_order_of_the_fields() -> None:
    config = systolic_config(
        {"max_k": 100, "module_name": "gemm", "vector": 2, "overflow": "saturate", "memory_limit_bits": 1 << 31}
    )
    assert canonical_command(config) == (
        "tilewright systolic --product core --module-name gemm --rows 16 --cols 16 --dataflow ws "
        "--a int8 --b int8 --acc int32 --overflow saturate --vector 2 --max-k 100"
    )
