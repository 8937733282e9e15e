#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes entity_table.h from the named character references of the HTML standard (section 13.5), which
Python's html.entities.html5 carries whole (2,231 names).

    lib/html/generate_entities.py > lib/html/entity_table.h
"""
import html.entities

names = sorted(html.entities.html5, key=lambda name: name.encode())
assert len(names) == 2231
print("// SPDX-License-Identifier: Apache-2.0")
print("// Made by generate_entities.py; do not edit. The named character references of the HTML standard,")
print("// in byte order of their names (without '&'; some end in ';').")
print("#ifndef SPINNERET_HTML_ENTITY_TABLE_H_\n#define SPINNERET_HTML_ENTITY_TABLE_H_\n")
print("namespace spinneret::html {\n")
print("// Arrays, not pointers: nothing to relocate at start-up.\nstruct NamedEntity {\n  char name[33];\n  char utf8[7];\n};\n")
print("inline constexpr NamedEntity kNamedEntities[] = {")
for name in names:
    octets = "".join(f"\\{byte:03o}" for byte in html.entities.html5[name].encode())
    print(f'    {{"{name}", "{octets}"}},')
print("};\n\n}  // namespace spinneret::html\n\n#endif  // SPINNERET_HTML_ENTITY_TABLE_H_")
