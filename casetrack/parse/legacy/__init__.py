"""Office files older than Office Open XML: DOC and PPT, read by means of LibreOffice."""
