#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares extract-links with html5lib (Debian: python3-html5lib) on files of HTML.

    oracle.py EXTRACT_LINKS FILE...

Links are compared as sets of element, attribute and value: a DOM clones unclosed anchors. html5lib follows the
standard of 2016: it knows no <template>, so pages with one are left out. Prints one line of totals, and what
differs; status 1 where anything does.
"""
import os
import subprocess
import sys
import warnings

import html5lib

warnings.simplefilter('ignore')
SOURCES = {
    'a': ('href',), 'area': ('href',), 'base': ('href',), 'link': ('href',), 'img': ('src',),
    'script': ('src',), 'iframe': ('src',), 'frame': ('src',), 'form': ('action',), 'input': ('src',),
    'embed': ('src',), 'object': ('data',), 'video': ('src', 'poster'), 'audio': ('src',),
    'source': ('src',), 'track': ('src',), 'body': ('background',), 'table': ('background',),
    'td': ('background',), 'blockquote': ('cite',), 'q': ('cite',),
}
HTML = '{http://www.w3.org/1999/xhtml}'


def oracle_links(document):
    tree = html5lib.parse(document, treebuilder='etree', transport_encoding='utf-8')
    out = set()
    for element in tree.iter():
        if not isinstance(element.tag, str) or not element.tag.startswith(HTML):
            continue
        name = element.tag[len(HTML):]
        for attribute in SOURCES.get(name, ()):
            value = element.get(attribute)
            if value is not None:
                out.add((name, attribute, value))
    return out


def our_links(tool, paths):
    """path -> links, in one run of the tool over records."""
    lines = ''.join(f'http://h/{i}\tcharset=utf-8\ttype=text/html\tsize={os.path.getsize(p)}\tbody-file={p}'
                    '\toutcome=ok\n' for i, p in enumerate(paths))
    run = subprocess.run([tool, '--only=all', '--as-written', '--any-scheme', '--ignore-nofollow', '--json'],
                         input=lines.encode(), stdout=subprocess.PIPE, check=False)
    import json
    out = [set() for _ in paths]
    for line in run.stdout.decode().splitlines():
        record = json.loads(line)
        if 'raw' not in record or record.get('ctx') == 'srcdoc':
            continue
        element, _, attribute = record['tag'].partition('@')
        if attribute in SOURCES.get(element, ()) and record.get('ctx') != 'svg':
            out[int(record['via'].rsplit('/', 1)[1])].add((element, attribute, record['raw']))
    return out


def main():
    tool = sys.argv[1]
    paths = [p for p in sys.argv[2:] if b'<template' not in open(p, 'rb').read().lower()]
    total = equal = missed = spurious = 0
    for path, ours in zip(paths, our_links(tool, paths)):
        with open(path, 'rb') as file:
            theirs = oracle_links(file.read())
        # We make no record of an unresolvable or empty value.
        lost = {link for link in theirs - ours if link[2].strip()}
        extra = ours - theirs
        total += len(theirs)
        missed += len(lost)
        spurious += len(extra)
        equal += not lost and not extra
        for link in sorted(lost)[:5]:
            print(f'{path}: missed {link}')
        for link in sorted(extra)[:5]:
            print(f'{path}: spurious {link}')
    print(f'pages equal {equal} of {len(paths)}, links missed {missed}, spurious {spurious}, of {total}')
    sys.exit(missed + spurious > 0)


main()
