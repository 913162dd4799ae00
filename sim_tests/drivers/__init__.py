"""Drivers that speak a design's language on top of the harness."""
