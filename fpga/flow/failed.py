"""How a build fails."""

from __future__ import annotations


class BuildFailed(RuntimeError):
    """A tool refused the design, it does not fit, or its clock is too fast for it; the message says which."""
