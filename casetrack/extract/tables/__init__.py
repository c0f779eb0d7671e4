"""Tables: cells and headers for readers, and numbers in the lines of tables.

``model`` and ``header`` work on cells; ``cells`` and ``periods`` on lines that readers have
written; ``carry`` on both.
"""
