"""A stand-in for a mail server: honest by default, and faulty where a test scripts it."""

from .backend import Message, SmtpBackend
from .certificates import Certificates
from .faults import DROP, HANG, Fault
from .imap import ImapBackend

__all__ = ["DROP", "HANG", "Certificates", "Fault", "ImapBackend", "Message", "SmtpBackend"]
