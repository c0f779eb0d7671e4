"""Work on several machines: the room for Ray, which nothing else imports."""
