"""The Human Phenotype Ontology as a network; the data are the user's own copy."""

from hickam.hpo.build import Hpo, build
from hickam.hpo.recipe import Recipe

__all__ = ["Hpo", "Recipe", "build"]
