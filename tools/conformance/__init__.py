"""The server before the test programs that others wrote for the protocol."""
