"""Cores for boards: ``small.toml``, and ``<board>.toml`` where that does not fit; `fpga.boards.preset` reads them."""
