"""The window: a local web app on the collections of one data folder (``casetrack browse``).

Each page calls the library, a collection or its map, and shows the answer. Pages are HTML from
templates (``templates/``), one function per address (``pages/``); their texts are in
``texts.toml`` in every language.

>>> from casetrack.faces.window import application  # doctest: +SKIP
"""

from casetrack.faces.window.app import application

__all__ = ["application"]
