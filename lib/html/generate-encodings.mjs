// SPDX-License-Identifier: Apache-2.0
// Writes encoding_table.cc: labels and indexes of the WHATWG Encoding Standard, from the npm package
// text-encoding (its lib/ holds them as the standard's own data files have them).
//
//   cd /tmp && npm pack text-encoding@0.7.0 && tar xzf text-encoding-0.7.0.tgz
//   node lib/html/generate-encodings.mjs /tmp/package/lib > lib/html/encoding_table.cc
import fs from 'node:fs';
import vm from 'node:vm';

const folder = process.argv[2];
const context = {};
context.self = context;
vm.createContext(context);
vm.runInContext(fs.readFileSync(`${folder}/encoding-indexes.js`, 'utf8'), context);
const indexes = context['encoding-indexes'];

// The labels stand in encoding.js as one literal.
const source = fs.readFileSync(`${folder}/encoding.js`, 'utf8');
const begin = source.indexOf('[', source.indexOf('var encodings ='));
const encodings = vm.runInNewContext(source.slice(begin, source.indexOf('];', begin) + 1));

const names = [];
const labels = [];
for (const group of encodings) {
  for (const encoding of group.encodings) {
    const name = encoding.name.toLowerCase();
    names.push(name);
    for (const label of encoding.labels) labels.push([label, name]);
  }
}
// Labels that came into the standard since.
const later = {
  'utf-8': ['unicode11utf8', 'unicode20utf8', 'x-unicode20utf8'],
  'utf-16be': ['unicodefffe'],
  'utf-16le': ['csunicode', 'iso-10646-ucs-2', 'ucs-2', 'unicode', 'unicodefeff'],
  replacement: ['replacement'],
};
for (const name in later) for (const label of later[name]) labels.push([label, name]);
labels.sort((a, b) => (a[0] < b[0] ? -1 : 1));

const singles = names.filter((name) => indexes[name]?.length === 128);
const out = [];
const say = (line) => out.push(line);
say('// SPDX-License-Identifier: Apache-2.0');
say('// Made by generate-encodings.mjs; do not edit. Data of the WHATWG Encoding Standard (public domain, CC0).');
say('#include "html/encoding_table.h"\n');
say('namespace spinneret::html {\n');
say(`const EncodingLabel kEncodingLabels[${labels.length}] = {`);
for (const [label, name] of labels) say(`    {"${label}", "${name}"},`);
say('};');
say(`const std::size_t kEncodingLabelCount = ${labels.length};\n`);

// U+FFFD: no character. Astral ones of Big5 stand in a list of their own.
const hex = (code) => '\\x' + code.toString(16).toUpperCase();
const literal = (codes) => {
  let text = '';
  for (const code of codes) {
    const plain = code >= 0xA0 && !(code >= 0xE000 && code < 0xF900) && !(code >= 0x200B && code <= 0x200F) &&
        !(code >= 0x2028 && code <= 0x202E) && !(code >= 0x0300 && code < 0x0370) &&
        !(code >= 0x0590 && code < 0x0700) && code !== 0xAD && code !== 0xA0 && !(code >= 0x0E00 && code < 0x0E80);
    text += plain ? String.fromCharCode(code) : `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }
  return text;
};
const table = (identifier, codes, row) => {
  say(`const char16_t ${identifier}[${codes.length + 1}] =`);
  for (let at = 0; at < codes.length; at += row) {
    const end = at + row >= codes.length ? ';' : '';
    say(`    u"${literal(codes.slice(at, at + row))}"${end}`);
  }
  say('');
};
// A C1 control cannot stand in a literal, nor as \u: the low half of windows code pages is written as numbers.
say(`const SingleByteTable kSingleByteTables[${singles.length}] = {`);
for (const name of singles) {
  const codes = indexes[name].map((code) => code ?? 0xFFFD);
  say(`    {"${name}",`);
  for (let at = 0; at < 128; at += 16) {
    const row = codes.slice(at, at + 16).map((code) => '0x' + code.toString(16).toUpperCase()).join(', ');
    say(`     ${at === 0 ? '{' : ' '}${row}${at === 112 ? '}},' : ','}`);
  }
}
say('};');
say(`const std::size_t kSingleByteTableCount = ${singles.length};\n`);

const flat = (name) => indexes[name].map((code) => (code == null || code > 0xFFFF ? 0xFFFD : code));
table('kJis0208', flat('jis0208'), 94);
table('kJis0212', flat('jis0212'), 94);
table('kEucKr', flat('euc-kr'), 190);
table('kGb18030', flat('gb18030'), 190);
table('kBig5', flat('big5'), 157);
const astral = indexes.big5.flatMap((code, at) => (code > 0xFFFF ? [[at, code]] : []));
say(`const AstralEntry kBig5Astral[${astral.length}] = {`);
for (const [at, code] of astral) say(`    {${at}, 0x${code.toString(16).toUpperCase()}},`);
say('};');
say(`const std::size_t kBig5AstralCount = ${astral.length};\n`);
const ranges = indexes['gb18030-ranges'];
say(`const RangeEntry kGb18030Ranges[${ranges.length}] = {`);
for (const [at, code] of ranges) say(`    {${at}, 0x${code.toString(16).toUpperCase()}},`);
say('};');
say(`const std::size_t kGb18030RangeCount = ${ranges.length};\n`);
say('}  // namespace spinneret::html');
console.log(out.join('\n'));
