"""Pictures of text: photographs, scans and faxes."""
