"""Levels of rules: what is done with a diagnostic."""


def choices(allow, warn, deny):
    """The pairs of a level and the name of a rule or group that three arguments choose; a string is
    one name."""
    chosen = {}
    for level, names in (("allow", allow), ("warn", warn), ("deny", deny)):
        for name in [names] if isinstance(names, str) else names:
            other = chosen.setdefault(name, level)
            if other != level:
                raise ValueError(f"{name} is in `{other}` and in `{level}`; leave it out of one of them")
    return [(level, name) for name, level in chosen.items()]
