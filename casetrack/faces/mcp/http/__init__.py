"""The protocol over HTTP: who may connect, and what each connection remembers.

The web server is imported when somebody asks for HTTP.
"""
