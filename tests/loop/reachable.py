# SPDX-License-Identifier: Apache-2.0
"""What a crawl must reach: follows the links of HTML files on disk, by Python's own parser.

usage: reachable.py DOCROOT DISALLOWED_PREFIX... > paths

An independent oracle for the loop tests: it shares no code with the tools. Prints every path that
exists, is reachable from / and begins with none of the prefixes.
"""
import html.parser
import os
import sys
import urllib.parse

LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if value is not None and LINKS.get(tag) == name:
                self.found.append(value)


def file_of(root, path):
    name = os.path.join(root, urllib.parse.unquote(path.split("?")[0]).lstrip("/"))
    if path.split("?")[0].endswith("/"):
        name = os.path.join(name, "index.html")
    return name if os.path.isfile(name) else None


def main():
    root, disallowed = sys.argv[1], tuple(sys.argv[2:])
    base = "http://site.test"
    seen, queue = {"/"}, ["/"]
    for path in queue:
        name = file_of(root, path)
        if name is None:
            continue
        print(path)
        if not name.endswith(".html"):
            continue
        parser = Links()
        with open(name, encoding="utf-8", errors="replace") as page:
            parser.feed(page.read())
        for link in parser.found:
            try:
                target = urllib.parse.urlsplit(urllib.parse.urljoin(base + path, link.strip()))
            except ValueError:
                continue
            if f"{target.scheme}://{target.netloc}" != base:
                continue
            to = (target.path or "/") + ("?" + target.query if target.query else "")
            if to not in seen and not (disallowed and to.startswith(disallowed)):
                seen.add(to)
                queue.append(to)


main()
