"""Beliefs → scores → differential."""
