"""The Human Phenotype Ontology as a network; the data are the user's own copy."""

from hickam.hpo.build import Hpo, build
from hickam.hpo.cache import load
from hickam.hpo.recipe import Recipe
from hickam.hpo.store import restore, save

__all__ = ["Hpo", "Recipe", "build", "load", "restore", "save"]
