"""Where documents come from: folders, repositories, buckets and scripts, behind one protocol.

A source lists what it has and fetches single items; it never touches a collection. What a listing
means for a collection is decided in :mod:`casetrack.sync`.
"""
