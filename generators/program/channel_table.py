"""The tables of a product in memory: of its output channels, and of a function of results."""

from __future__ import annotations

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.channels import CHANNEL_BYTES, ChannelWords
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.hdl.numeric import code_format, container_bytes


def channel_words(product: Product, tiling: Tiling, config: EngineConfig) -> ChannelWords:
    """How the channels of ``product`` lie in the channel memory."""
    return ChannelWords(product.n, tiling.tile_n, config.scratchpads.c.lanes)


def channel_table(product: Product, tiling: Tiling, config: EngineConfig) -> Matrix | None:
    """Where the table lies; None where the product has none."""
    if product.finish is None or product.finish.channels is None:
        return None
    return Matrix(product.finish.channels, 1, channel_words(product, tiling, config).entries, CHANNEL_BYTES)


def function_table(product: Product, config: EngineConfig) -> Matrix | None:
    """Where the table of a function lies; None where the product has none."""
    if product.finish is None or product.finish.table is None:
        return None
    return Matrix(product.finish.table, 1, 1 << code_format(config.result).width, container_bytes(config.result))
