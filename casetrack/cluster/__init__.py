"""Work on several machines with Ray; no other package imports this one."""
