"""Programs of the engine: tensors in memory, tilings, plans, instructions."""
