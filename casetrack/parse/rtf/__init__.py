"""Rich Text Format, including encapsulated HTML of mails."""
