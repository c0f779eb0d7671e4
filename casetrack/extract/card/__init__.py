"""The identity card of a document: kind, issuer, addressee, dates and parties."""
