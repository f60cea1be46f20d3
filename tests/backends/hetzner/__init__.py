"""A stand-in for the DNS part of the Hetzner Cloud API, on the loopback address."""

from .backend import HetznerBackend
from .model import ASSIGNED
from .wire import Request

__all__ = ["ASSIGNED", "HetznerBackend", "Request"]
