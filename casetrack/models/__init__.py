"""Models: which exist, how they come to this machine, and how they are run.

``profiles`` says which models make a collection's vectors, and ``catalog`` lists them as data.
``pull`` brings their files here and checks them; ``convert`` turns them into graphs, with
``bert_onnx`` for the encoder and ``heads`` for what lies above it. ``model`` runs one of them, and
``encoder`` those of a profile. Nothing outside ``pull``, ``sources`` and ``providers`` touches the
network, and importing this package touches nothing at all.
"""
