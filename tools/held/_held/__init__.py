"""Makes the held documents: the model of a firm's figures, tables, pages."""
