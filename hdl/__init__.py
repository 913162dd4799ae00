"""Amaranth components. Imports no other folder of the project, never touches files or arguments."""
