"""How far an answer can be trusted: the numbers behind it moved, redrawn, or given by several."""
