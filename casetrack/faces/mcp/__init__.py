"""The server for AI programs: the tools of the library over the Model Context Protocol.

``server`` starts, ``app`` assembles, ``tools_*`` hold one group of tools each, ``session`` knows
the active collection, ``progress`` runs long work, ``render`` writes text for people, ``outputs``
declares the structured results, ``failures`` turns errors into results. Nothing here decides
anything about documents: that is done by :mod:`casetrack.api.library` and
:mod:`casetrack.api.collection`.
"""
