"""One open collection: what is committed, its search index, its graph, and what lies in it.

Whatever works on a collection takes a :class:`Workspace`; whatever answers from it takes a
:class:`State`, so that one answer never mixes two states.
"""

from casetrack.store.workspace.workspace import State, Workspace

__all__ = ["State", "Workspace"]
