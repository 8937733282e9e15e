#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the guess of undeclared encodings: charset_train.py DIR lib/html/charset_guess_table.cc

DIR: a file LANGUAGE.txt in UTF-8 for each language below. Made from translations that Debian has: help and installation
guides (gnome-user-docs, installation-guide-amd64), messages (vlc-l10n, iso-codes), words (hunspell-*).
"""
import collections, math, random, sys, unicodedata

LATIN = 'en de fr es pt it nl sv da fi is pl cs hu ro hr sk sl tr lt lv et vi'.split()
OTHER = 'ru uk bg sr be el he ar fa th'.split()
WIDE = {'ja': 400, 'zhs': 500, 'zht': 500, 'ko': 400}
# English text contains names and quotations in the languages of its neighbours.
MIXED = {'en': 'en de fr es pt it sv da'.split()}
APOSTROPHE, SMALLEST, SCALE, BASE = '\u2019', 1e-5, 6, 35
TYPOGRAPHIC = set('\u00a0«»„“”‘‚–—…•·©®™°€§№×‹›')

def letters_of(text, latin):
    """The letters beyond ASCII that make up 99.9 % of them; marks of Vietnamese, Thai, Hebrew and Arabic are letters."""
    count = collections.Counter(c for c in text if ord(c) > 127 and unicodedata.category(c)[0] in 'LM')
    most = 40 if latin else 90
    total, kept, out = sum(count.values()), 0, []
    for c, n in count.most_common(most):
        if kept >= .9995 * total: break
        kept += n
        out.append(c)
    return sorted(out)

def load(folder, language):
    text = open(f'{folder}/{language}.txt', errors='replace').read()
    lines = text.split('\n')
    random.Random(1).shuffle(lines)  # the words of dictionaries come after the prose
    text = '\n'.join(lines)[:1_500_000]
    if language == 'ro': text = text.replace('ș', 'ş').replace('ț', 'ţ').replace('Ș', 'Ş').replace('Ț', 'Ţ')
    if language == 'vi': text = tones_apart(text)
    return text

def tones_apart(text):
    """As windows-1258 has it: the tone marks behind their vowels."""
    tones = '\u0300\u0301\u0303\u0309\u0323'
    out = []
    for c in text:
        parts = unicodedata.normalize('NFD', c)
        tone = [m for m in parts if m in tones]
        rest = unicodedata.normalize('NFC', ''.join(m for m in parts if m not in tones))
        out.append(rest + ''.join(tone))
    return ''.join(out)

def model(folder, language):
    latin = language in LATIN
    text = '\n'.join(load(folder, l)[:600_000] for l in MIXED.get(language, [language]))
    lower = ''.join(c.lower() if len(c.lower()) == 1 else c for c in text)
    letters = letters_of(lower, latin)
    classes = {c: 5 + 25 + i if latin else 5 + i for i, c in enumerate(letters)}
    def class_of(c):
        if c in classes: return classes[c]
        if 'a' <= c <= 'z': return 4 + ord(c) - 97 if latin else 4
        if ord(c) < 128: return 0
        return 1 if c == APOSTROPHE else 2 if c in TYPOGRAPHIC else 3
    size = (30 if latin else 5) + len(letters)
    pairs, before = [[0] * size for _ in range(size)], 0
    for c in lower:
        now = class_of(c)
        if before or now: pairs[before][now] += 1
        before = now
    pairs[0][0] = sum(pairs[0]) // 2
    once = [sum(row[i] for row in pairs) for i in range(size)]
    total = sum(once)
    rows = []
    for row in pairs:
        n, cells = sum(row), ''
        for i in range(size):
            p = (row[i] + 20 * max(SMALLEST, once[i] / total)) / (n + 20)
            cells += chr(BASE + min(90, round(-math.log(p) * SCALE)))
        rows.append(cells)
    cased = ''.join(c + (c.upper() if len(c.upper()) == 1 and c.upper() != 'I' else c) for c in letters)
    return cased, rows

def frequent(folder, language, most):
    text = load(folder, language)
    count = collections.Counter(c for c in text if ord(c) > 127)
    total = sum(count.values())
    best = count.most_common(most)
    # The cost is `-ln p`, scaled, and at most 90.
    out = []
    for c, n in best: out.append((c, min(90, round(-math.log(n / total) * SCALE))))
    print(language, 'covers', sum(n for _, n in best) / total)
    return out

def quoted(text): return 'u"' + ''.join('\\u%04x' % ord(c) for c in text) + '"'

def main():
    folder, path = sys.argv[1:3]
    out = ['// SPDX-License-Identifier: Apache-2.0', '// Made by tests/bench/charset_train.py; not for editing.', '// clang-format off',
           '#include "html/charset_guess.h"', '', 'namespace spinneret::html {', '', 'const LanguageModel kLanguageModels[] = {']
    for language in LATIN + OTHER:
        letters, rows = model(folder, language)
        print(language, len(letters) // 2, len(rows))
        latin = 'true' if language in LATIN else 'false'
        lines = [f'        R"({"".join(rows[i:i + 2])})"' for i in range(0, len(rows), 2)]
        out += [f'    {{"{language}", {latin},'] + [f'     {quoted(letters[i:i + 18])}' for i in range(0, len(letters), 18)]
        out[-1] += ','
        out += lines
        out[-1] += '},'
    out += ['};', 'const std::size_t kLanguageModelCount = std::size(kLanguageModels);', '', 'const FrequentCharacters kFrequentCharacters[] = {']
    for language, most in WIDE.items():
        chars = frequent(folder, language, most)
        text, costs = ''.join(c for c, _ in chars), ''.join(chr(BASE + n) for _, n in chars)
        out += [f'    {{"{language}",'] + [f'     {quoted(text[i:i + 18])}' for i in range(0, len(text), 18)]
        out[-1] += ','
        out += [f'     R"({costs[i:i + 100]})"' for i in range(0, len(costs), 100)]
        out[-1] += '},'
    out += ['};', 'const std::size_t kFrequentCharactersCount = std::size(kFrequentCharacters);', '', '}  // namespace spinneret::html', '']
    open(path, 'w').write('\n'.join(out))

main()
