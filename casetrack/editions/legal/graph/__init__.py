"""What the documents cite and quote, with signal, treatment and sentence.

It is read when somebody first asks for it, and kept by revision: whoever never asks pays nothing.
"""
