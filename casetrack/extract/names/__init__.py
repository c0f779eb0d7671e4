"""Names of persons, organisations and places, found with what the encoder knows of every word."""

from casetrack.extract.names.tagger import StateTagger, tagger_of

__all__ = ["StateTagger", "tagger_of"]
