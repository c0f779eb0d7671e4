"""The command line: it formats what the library decides, and decides nothing itself."""
