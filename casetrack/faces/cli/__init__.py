"""The command line: parses options, calls the API and formats the answers."""
