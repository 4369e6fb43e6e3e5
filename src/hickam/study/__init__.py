"""Many cases with known diagnoses, scored and compared."""
