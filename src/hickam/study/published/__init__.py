"""Published patients, ranked by everything there is on one version of the data."""
