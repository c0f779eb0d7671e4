"""Tables: cells and headers as readers find them, and what lines of tables say of their numbers.

``model`` and ``header`` are for readers, which know cells; ``cells``, ``periods``, ``rows`` and
``scales`` read the lines that readers have written. ``carry`` is for both.
"""
