"""The pictures of the README and of docs, made from what the program really shows."""
