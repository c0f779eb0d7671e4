"""Embedded models: what exists, how it comes to this machine, and how it is run.

``catalog`` lists the models as data, ``pull`` brings their files here and checks them,
``bert_onnx`` turns the weights into a graph, ``encoder`` runs it. Nothing outside ``pull`` and
``sources`` touches the network, and importing this package touches nothing at all.
"""
