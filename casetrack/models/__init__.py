"""Models: download, conversion to ONNX graphs, and encoding.

``pull`` downloads and checks files; ``convert`` builds graphs (encoder and heads in ``bert_onnx``)
and tokenizers; ``model`` runs one model, ``encoders`` those of a profile. Only ``downloads`` and
``providers`` use the network.
"""
