"""Levels of rules: whether a diagnostic is ignored, a warning or an error."""


def choices(allow, warn, deny):
    """Returns pairs of a level and the name of a rule or group for the three arguments; a string is
    one name."""
    chosen = {}
    for level, names in (("allow", allow), ("warn", warn), ("deny", deny)):
        for name in [names] if isinstance(names, str) else names:
            other = chosen.setdefault(name, level)
            if other != level:
                raise ValueError(f"{name} is in `{other}` and in `{level}`; remove it from one of them")
    return [(level, name) for name, level in chosen.items()]
