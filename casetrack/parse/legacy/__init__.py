"""Office files from before Office Open XML: DOC and PPT, read by way of LibreOffice."""
