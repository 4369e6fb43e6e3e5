"""Bayesian networks in other people's formats: each reader makes the document `build_scm` reads."""
