"""Serving under load: one process that talks HTTP, and worker processes that can be ended."""
