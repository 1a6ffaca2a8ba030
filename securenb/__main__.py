"""`python -m securenb` is the command `securenb`."""

from securenb.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
