"""Citations and quotations of documents, with signal, treatment and sentence.

They are read on first use and cached by revision.
"""
