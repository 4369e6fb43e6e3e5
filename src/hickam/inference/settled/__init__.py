"""Engines for settled risk factors: nothing unobserved couples the diseases."""
