"""Writes what documents show of the code, and holds documents to it."""
