"""The commands for lawyers. Each is a module of this package, named in ``cli/commands.toml``."""
