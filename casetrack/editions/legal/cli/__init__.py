"""The commands of the legal edition; ``cli/commands.toml`` lists them."""
