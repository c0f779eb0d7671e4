"""Object storage: places of bytes with an address, which are written whole or not at all.

The one room for what a bucket of S3, Google or Azure is to CaseTrack: addresses, credentials from
the usual places, what their errors mean, and the few things that are done with objects. Whatever
holds a collection, and whatever documents come from, goes through here.
"""
