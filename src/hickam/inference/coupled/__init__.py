"""Engines for diseases that unobserved risk factors couple."""
