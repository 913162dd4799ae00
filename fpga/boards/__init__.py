"""The boards: what is on them, and where the wires of a design go."""
