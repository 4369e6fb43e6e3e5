"""`python -m hickam` is the same as `hickam`."""

from hickam.cli.main import main

if __name__ == "__main__":
    main()
