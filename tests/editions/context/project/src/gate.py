def check_token(header):
    """Refuse a request without a token."""
    if not header:
        raise PermissionError(header)
