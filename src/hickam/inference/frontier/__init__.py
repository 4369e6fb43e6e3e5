"""Only what is open in the state: exact for any problem, or with some risk factors factored out."""
