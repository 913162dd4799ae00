"""Configurations that fit boards, ``<board>.toml`` and ``<board>-max.toml``; `fpga.boards.preset` reads them."""
