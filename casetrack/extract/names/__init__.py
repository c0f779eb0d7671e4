"""Names of persons, organisations and places, found with the encoder's token states."""

from casetrack.extract.names.tagger import StateTagger, tagger_of

__all__ = ["StateTagger", "tagger_of"]
