"""The MCP bundle: one file that desktop programs install with a click.

``just release bundle`` builds it from a checkout. The bundle contains source,
but no libraries or models: its first start makes an environment from ``pyproject.toml`` with uv
and downloads the models (:mod:`casetrack.faces.setup.bundle.starting`).
"""
