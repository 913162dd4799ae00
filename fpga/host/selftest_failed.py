"""What a selftest says of a design that is wrong."""

from __future__ import annotations


class SelftestFailed(AssertionError):
    """An answer or a result is wrong; the message says which, and where."""
