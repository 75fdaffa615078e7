"""`python -m wend`: the same as the command `wend`."""

from wend._cli import main

if __name__ == "__main__":
    raise SystemExit(main())
