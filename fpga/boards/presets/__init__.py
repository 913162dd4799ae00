"""Cores for boards: ``small.toml``, ``<board>.toml`` where that does not fit, ``<board>-max.toml`` that fills the part;
`fpga.boards.preset` reads them."""
