"""What host scripts import, served by cslrun; on the module path only under `cs_python`."""
