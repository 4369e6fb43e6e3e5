"""Who is asking: the address that limits count by, through proxies that are trusted only."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import Scope

NOBODY = "unknown"
SITE = 64  # bits of an IPv6 address that one site holds: it counts as one client


class Clients:
    """Names clients by address. Only proxies that the service was told of may speak for others."""

    def __init__(self, proxies: tuple[str, ...] = ()) -> None:
        self._proxies = tuple(ip_network(proxy, strict=False) for proxy in proxies)

    def of(self, scope: Scope) -> str:
        """The client of a request.

        >>> sent = [(b"x-forwarded-for", b"192.0.2.9, 192.0.2.1, 10.0.0.7")]
        >>> scope = {"client": ("10.0.0.1", 1), "headers": sent}
        >>> Clients().of(scope), Clients(("10.0.0.0/8",)).of(scope)
        ('10.0.0.1', '192.0.2.1')
        """
        peer = scope["client"][0] if scope.get("client") else ""
        if not self.trusts(peer):
            return client_name(peer)
        told = b",".join(v for k, v in scope["headers"] if k == b"x-forwarded-for")
        for address in map(str.strip, reversed(told.decode("latin-1").split(","))):
            if address and not self.trusts(address):
                return client_name(address)
        return client_name(peer)

    def trusts(self, address: str) -> bool:
        """Whether an address is a proxy that may speak for others."""
        if not self._proxies:
            return False
        try:
            known = ip_address(address)
        except ValueError:
            return False
        return any(known in proxy for proxy in self._proxies if proxy.version == known.version)


@lru_cache(maxsize=4096)
def client_name(address: str) -> str:
    """The name that limits count by; the addresses of one IPv6 site are one client.

    >>> client_name("192.0.2.1"), client_name("2001:db8::1"), client_name("what?")
    ('192.0.2.1', '2001:db8::', 'unknown')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return NOBODY
    if isinstance(known, IPv6Address):
        if known.ipv4_mapped:
            return str(known.ipv4_mapped)
        return str(ip_network((known, SITE), strict=False).network_address)
    return str(known)
