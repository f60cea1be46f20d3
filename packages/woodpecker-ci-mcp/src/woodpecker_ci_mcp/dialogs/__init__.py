"""The questions of this server: what is shown, and beside it what is bound.

Ids, enumerated words, counts and switches are shown, and destinations that the caller
chose; never a branch, a message, a title, a log line, a secret or other free text that
the server holds.
"""
