"""Every example runs, and notices a fault."""
