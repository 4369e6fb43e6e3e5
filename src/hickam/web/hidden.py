"""Addresses that do not tell the case: what they would hold is sent in the body of a request.

Proxies and browsers keep addresses. In this mode every link of a page is a button that sends the
query of its address by POST, and every form is sent by POST. The guard turns such a request back
into the one that it stands for, so no page knows of it. The page's script keeps the query in the
fragment of the address, which no browser sends.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from starlette.types import Scope

FORM = "application/x-www-form-urlencoded"
FIELD = "_"  # marks a request whose body is a query; the field itself holds that of a link
LINK = re.compile(r'<a\b([^>]*?) href="(/[^"?#]*)\?([^"#]*)"([^>]*)>(.*?)</a>', re.DOTALL)
PICTURE = re.compile(r'<img\b[^>]*? src="(/[^"?#]*)\?([^"#]*)"[^>]*>')
GET = re.compile(r'(<form\b[^>]*) method="get"([^>]*>)')
FILES = ("/twin.svg", "/record.json", "/export")  # no pages: the script leaves them to the browser


def hide_case(html: str) -> str:
    """A page whose links and forms put nothing into addresses.

    >>> hide_case('<a href="/?p=fever">Fever</a>')
    '<button form="go" formaction="/" name="_" value="p=fever" class="link">Fever</button>'
    """
    html = GET.sub(rf'\1 method="post"\2<input type="hidden" name="{FIELD}" value="">', html)
    html = PICTURE.sub(lambda found: _button(found[1], found[2], "", "Show the picture"), html)
    return LINK.sub(lambda found: _button(found[2], found[3], found[1] + found[4], found[5]), html)


def open_hidden(scope: Scope, body: bytes) -> bool:
    """Turn a request that sends a query in its body into the one for that address, if it is one."""
    kind = dict(scope["headers"]).get(b"content-type", b"").partition(b";")[0].strip()
    sign = FIELD.encode() + b"="
    if scope["method"] != "POST" or kind != FORM.encode() or not body.startswith(sign):
        return False
    link, _, rest = body.removeprefix(sign).partition(b"&")
    queries = (unquote_to_bytes(link.replace(b"+", b" ")).replace(b" ", b"+"), rest)
    scope["method"], scope["query_string"] = "GET", b"&".join(filter(None, queries))
    return True


def _button(path: str, query: str, attributes: str, content: str) -> str:
    """A button that goes where a link went."""
    before, named, after = attributes.partition('class="')
    attributes = f'{before}class="link {after}' if named else f'{attributes} class="link"'
    attributes += " data-file" if path in FILES else ""
    where = f'form="go" formaction="{path}" name="{FIELD}" value="{query}"'
    return f"<button {where}{attributes}>{content}</button>"
