"""Object storage (S3, Google, Azure): addresses, credentials, errors and atomic operations.

Collections and document sources both use this package.
"""
