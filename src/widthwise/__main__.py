"""`python -m widthwise` is the command line."""

import sys

from widthwise.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
