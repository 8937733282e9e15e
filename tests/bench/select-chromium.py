#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Selectors beside a browser: of each page, generated selectors, ours and Chromium's querySelectorAll.

  tests/bench/select-chromium.py BENCH_SELECT SELECTORS_A_PAGE PAGE...

Chromium runs headless, on files alone; a page is parsed by DOMParser, scripting off. Prints each difference and the
counts; status 1 where there is any."""
import base64, html.parser, json, os, random, re, subprocess, sys, tempfile

BATCH = 20


class Names(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.tags, self.classes, self.ids, self.attributes = set(), set(), set(), set()

    def handle_starttag(self, tag, attributes):
        if re.fullmatch(r"[a-z][a-z0-9-]*", tag):
            self.tags.add(tag)
        for name, value in attributes:
            value = value or ""
            if name == "class":
                self.classes.update(value.split())
            elif name == "id" and value:
                self.ids.add(value)
            if re.fullmatch(r"[a-z][a-z0-9-]*", name):
                self.attributes.add((name, value))


def escape(name):
    return re.sub(r"([^a-zA-Z0-9_\-\u0080-\U0010ffff])|^(-?)(\d)|^-$",
                  lambda m: m[2] + "\\3%s " % m[3] if m[3] else "\\" + m[0], name)


def string(value):
    return '"' + re.sub(r'[\\"]', r"\\\g<0>", value).replace("\n", "\\a ").replace("\r", "\\d ").replace("\f", "\\c ") + '"'


class Generator:
    def __init__(self, names, chance):
        self.names, self.chance = names, chance
        self.tags = sorted(names.tags) or ["p"]
        self.classes, self.ids, self.attributes = sorted(names.classes), sorted(names.ids), sorted(names.attributes)

    def attribute(self):
        pick = self.chance
        if not self.attributes:
            return "[class]"
        name, value = pick.choice(self.attributes)
        if pick.random() < 0.3 or not value or len(value) > 80:
            return "[%s]" % name
        test = pick.choice(["=", "~=", "|=", "^=", "$=", "*="])
        if test == "~=":
            value = (value.split() or ["x"])[0]
        if test == "|=":
            value = value.split("-")[0]
        if test in ("^=", "$=", "*="):
            begin = pick.randrange(len(value))
            value = {"^=": value[: begin + 1], "$=": value[begin:], "*=": value[begin : begin + 3]}[test]
        flag = pick.choice(["", "", "", " i"])  # Chromium does not know s
        if flag == " i" and pick.random() < 0.5:
            value = value.upper() if value.isascii() else value
        return "[%s%s%s%s]" % (name, test, string(value), flag)

    def compound(self, depth, in_has):
        pick = self.chance
        out = pick.choice(self.tags) if pick.random() < 0.6 else "*" if pick.random() < 0.1 else ""
        if self.classes and pick.random() < 0.35:
            out += "." + escape(pick.choice(self.classes))
        if self.ids and pick.random() < 0.08:
            out += "#" + escape(pick.choice(self.ids))
        if pick.random() < 0.15:
            out += self.attribute()
        if pick.random() < 0.15:
            out += self.place()
        if depth < 2 and pick.random() < 0.15:
            sort = pick.choice(["not", "is", "where", "has"] + ([] if in_has else ["nth"]))
            if sort == "has" and in_has:
                sort = "is"
            inner = self.complex(depth + 1, in_has or sort == "has")
            if sort == "has":
                inner = pick.choice(["", "", "> ", "+ ", "~ "]) + inner
            out += ":nth-child(2n+1 of %s)" % inner if sort == "nth" else ":%s(%s)" % (sort, inner)
        return out or pick.choice(self.tags)

    def place(self):
        pick = self.chance
        sort = pick.choice([":first-child", ":last-child", ":only-child", ":first-of-type", ":last-of-type", ":only-of-type",
                            "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", ":empty", ":link", ":root"])
        if sort[0] == ":":
            return sort
        return ":%s(%s)" % (sort, pick.choice(["odd", "even", "3", "-n+2", "3n+1", "n+2"]))

    def complex(self, depth=0, in_has=False):
        pick = self.chance
        out = self.compound(depth, in_has)
        while pick.random() < 0.5:
            out += pick.choice([" ", " ", " > ", " > ", " + ", " ~ "]) + self.compound(depth, in_has)
        return out

    def selector(self):
        out = self.complex()
        while self.chance.random() < 0.1:
            out += ", " + self.complex()
        return out


SCRIPT = """<!doctype html><meta charset=utf-8><pre id=out></pre><script>
const decode = (text) => new TextDecoder('utf-8', {ignoreBOM: true}).decode(Uint8Array.from(atob(text), c => c.charCodeAt(0)));
const out = [];
for (const [page, selectors] of DATA) {
  const document_ = new DOMParser().parseFromString(decode(page), 'text/html');
  const numbers = new Map(); let number = 0;
  for (const element of document_.querySelectorAll('*')) numbers.set(element, number++);
  out.push(selectors.map(selector => {
    let found; try { found = document_.querySelectorAll(selector); } catch (error) { return 'error'; }
    let hash = 2166136261;
    for (const element of found) hash = Math.imul(hash ^ numbers.get(element), 16777619) >>> 0;
    return found.length + ' ' + (hash >>> 0);
  }));
}
document.getElementById('out').textContent = 'BEGIN' + JSON.stringify(out) + 'END';
</script>"""


def chromium(batch, folder):
    path = os.path.join(folder, "run.html")
    with open(path, "w") as file:
        file.write(SCRIPT.replace("DATA", json.dumps([[base64.b64encode(page).decode(), selectors] for page, selectors in batch]), 1))
    said = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder + "/profile",
                           "--virtual-time-budget=600000", "--dump-dom", "file://" + path], capture_output=True, text=True, timeout=600).stdout
    return json.loads(re.search("BEGIN(.*?)END", said)[1])


def main():
    bench, each, paths = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    compared = differ = refused = found = 0
    bad_pages = set()
    with tempfile.TemporaryDirectory() as folder:
        for at in range(0, len(paths), BATCH):
            batch = []
            for path in paths[at : at + BATCH]:
                text = open(path, "rb").read().decode("utf-8", "replace").replace("\0", "").lstrip("\ufeff")
                names = Names()
                try:
                    names.feed(text)
                except Exception:
                    pass
                generator = Generator(names, random.Random(path))
                batch.append((text.encode(), [generator.selector() for _ in range(each)]))
            theirs = chromium(batch, folder)
            for path, (page, selectors), answers in zip(paths[at:], batch, theirs):
                with open(folder + "/page", "wb") as file:
                    file.write(page)
                keep = [i for i, answer in enumerate(answers) if answer != "error"]
                refused += len(selectors) - len(keep)
                with open(folder + "/selectors", "w") as file:
                    file.write("".join(selectors[i] + "\n" for i in keep))
                ours = subprocess.run([bench, "match", folder + "/selectors", folder + "/page"], capture_output=True, text=True)
                if ours.returncode:
                    print(path, ours.stderr.strip())
                    differ += 1
                    bad_pages.add(path)
                    continue
                for i, answer in zip(keep, ours.stdout.splitlines()):
                    compared += 1
                    found += int(answer.split()[0])
                    if answer != answers[i]:
                        differ += 1
                        bad_pages.add(path)
                        print(path, selectors[i], "ours", answer, "theirs", answers[i])
    print("%d pages, %d selectors (%d more that Chromium refuses), %d elements selected: %d differ, on %d pages"
          % (len(paths), compared, refused, found, differ, len(bad_pages)))
    sys.exit(differ != 0)


main()
