"""Engines: network + evidence → beliefs."""
