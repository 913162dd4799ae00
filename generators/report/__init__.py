"""Figures of a design, known before it is built or measured on what was built: cycles, area, movement of data."""
