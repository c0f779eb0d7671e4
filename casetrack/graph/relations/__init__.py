"""How documents, chunks and entities are connected, each connection with its evidence.

Everything here is a function of the live documents alone: sums that decide are of whole numbers,
and ties go to the smaller id, so that nothing depends on the order in which documents came, or on
how many threads counted.
"""
