"""The command ``ctx`` of the edition for developers."""
