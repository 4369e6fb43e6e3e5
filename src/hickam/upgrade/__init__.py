"""What counterfactual diagnosis means on a model that was made for posteriors."""

from hickam.upgrade.examine import Upgrade, upgrade

__all__ = ["Upgrade", "upgrade"]
