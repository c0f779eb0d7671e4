"""Serving over HTTP: where to listen, who may connect, and what each connection remembers.

``address`` and ``gate`` need nothing but the standard library; the web server is imported by
``serving`` alone, when somebody asks for HTTP.
"""
