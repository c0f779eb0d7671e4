"""Tables of many shapes, written as PDF, XLSX, DOCX and OpenDocument, with their true content."""
