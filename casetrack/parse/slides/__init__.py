"""PowerPoint presentations (PPTX)."""
