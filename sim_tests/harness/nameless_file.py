"""Memory that two processes see."""

from __future__ import annotations

import os
import tempfile


def nameless_file(size: int) -> int:
    """Descriptor of a file of ``size`` bytes without a name: it is gone with the last process that has it."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("tilewright-memory")
    else:
        with tempfile.TemporaryFile() as unnamed:
            file = os.dup(unnamed.fileno())
    os.ftruncate(file, size)
    return file
