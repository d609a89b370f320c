"""`python -m cslrun`: the command `cslrun`."""

from cslrun.commands import cslrun

if __name__ == "__main__":
    cslrun()
