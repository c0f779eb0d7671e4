"""Brings a collection in step with a folder: what is new, changed, moved and gone.

A file is compared by its path and the SHA-256 of its content, never by its times alone.
:mod:`scan` looks at the folder, :mod:`plan` decides without
touching anything, :mod:`~casetrack.keep.sync.run` carries it out under the collection's write lock.
"""
