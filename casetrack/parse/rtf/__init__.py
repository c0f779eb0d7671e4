"""Rich Text Format, also where it wraps the HTML of a mail."""
