"""Making the MCP bundle: one file that desktop programs install with a click.

``python -m casetrack.faces.setup.bundle`` makes it from a checkout. The bundle holds source, no
libraries and no models: its first start makes an environment from ``pyproject.toml`` with uv, for
whatever system it runs on, and fetches the models (:mod:`casetrack.faces.setup.bundle.starting`).
"""
