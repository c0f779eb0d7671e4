"""Reads pictures of text: cleaning, engines behind one protocol, words with boxes."""
