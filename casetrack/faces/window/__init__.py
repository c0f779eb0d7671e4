"""The window: a local web app on the collections of one data folder (``casetrack browse``).

It is a face like the command line: each page asks the library, a collection or its map, and shows
what comes back; it decides nothing. Pages are HTML written by templates (``templates/``), one
function per address (``pages/``); what they say stands in ``texts.toml`` in every language.

>>> from casetrack.faces.window import application  # doctest: +SKIP
"""

from casetrack.faces.window.app import application

__all__ = ["application"]
