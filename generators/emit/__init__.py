"""Emission: from a configuration to the files of its output folder."""

from tilewright.generators.emit.files import generate

__all__ = ["generate"]
