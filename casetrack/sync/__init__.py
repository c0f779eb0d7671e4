"""Brings a collection in step with a folder: what is new, changed, moved and gone.

A file is compared by its path and the SHA-256 of its content, never by its times alone.
:mod:`~casetrack.sync.scan` looks at the folder, :mod:`~casetrack.sync.plan` decides without
touching anything, :mod:`~casetrack.sync.run` carries it out under the collection's write lock.
"""
