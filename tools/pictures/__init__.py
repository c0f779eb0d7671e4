"""Pictures of the README and of docs, made from the output of the program."""
