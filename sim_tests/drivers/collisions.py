"""Scratchpads that give wrong data for a word that is read while it is written, as block RAMs may."""

from __future__ import annotations

from collections.abc import Mapping

_READ = "read_data <= words[read_address];"
_WRONG = "read_data <= (|write_enable && write_address == read_address) ? ~words[read_address] : words[read_address];"


def with_collisions(sources: Mapping[str, str]) -> dict[str, str]:
    """``sources`` of a core with such scratchpads. Raises ValueError where there is none."""
    changed = {name: text.replace(_READ, _WRONG) for name, text in sources.items()}
    if changed == dict(sources):
        raise ValueError("there is no RAM among the sources")
    return changed
