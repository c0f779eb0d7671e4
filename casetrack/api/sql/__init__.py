"""SQL for the faces: saved queries and their parameters, completion, statements in processes."""
