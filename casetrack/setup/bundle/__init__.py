"""Making the MCP bundle: one file that desktop programs install with a click.

``python -m casetrack.setup.bundle`` makes it from a checkout. The bundle holds source, no
libraries and no models: the program that installs it makes an environment from ``pyproject.toml``
with uv, for whatever system it runs on.
"""
