#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the choices of main content and of titles: text_train.py DIR TRUTH.jsonl [TABLE.cc [main|title]]

DIR: what bench-text wrote. Prints the F1 of held-out pages, by five folds of whole domains, and by page type; with TABLE.cc
first trains on all and writes its part of lib/text/model_table.cc: main alone, title alone (and prints the share of
held-out titles that are right), or both. Needs numpy and scikit-learn. FOLDS=1 holds out one fold alone, FOLDS=0 none.

  bench-text DIR < FILES-AND-URLS && tests/bench/text_train.py DIR wcxb-dev.jsonl lib/text/model_table.cc main

`tests/bench/text.sh --held-out` does all of that but for the table.
"""
import collections, json, os, re, sys
import numpy
from sklearn.ensemble import HistGradientBoostingClassifier

FEATURES = 160 + 2 * 59
TITLE_FEATURES = 64
MOST_BLOCKS = 120  # of one page
# Pages of prose are more than half, and easy, so other pages count twice.
EASY = ('article', 'documentation')
def words(text): return re.findall(r'\w+', text.lower())

def labels(blocks, truth_text):
    """The share of each block's words that stand in the truth; none of one that has come as often as the truth has it."""
    truth = words(truth_text)
    lines = {tuple(words(line)) for line in truth_text.split('\n')}
    grams = {n: collections.Counter(tuple(truth[i:i + n]) for i in range(len(truth) - n + 1)) for n in range(1, 5)}
    out, seen = [], collections.Counter()
    for i, block in enumerate(blocks):
        if not block: out.append(0.); continue
        whole = tuple(block)
        if len(block) >= 4:
            own = [whole[k:k + 4] in grams[4] for k in range(len(block) - 3)]
            share, times = sum(own) / len(own), max(grams[4][whole[:4]], grams[4][whole[-4:]])
        else:
            before = blocks[i - 1][-1:] if i else []
            behind = blocks[i + 1][:1] if i + 1 < len(blocks) else []
            near = [tuple(x) for x in (before + block, block + behind) if len(x) > len(block)]
            share, times = float(whole in lines or any(x in grams[len(x)] for x in near)), grams[len(block)][whole]
        if share > .5:
            seen[whole] += 1
            if seen[whole] > max(1, times): share = 0.
        out.append(share)
    return out

def choose(p, w):
    """As choose_main() of model.cc: the blocks that make the expected F1 largest."""
    chosen = numpy.zeros(len(p), bool)
    if not len(p): return chosen
    near = numpy.pad(p, 1, mode='edge')
    p = .8 * p + .1 * (near[:-2] + near[2:])
    order = numpy.argsort(-p, kind='stable')
    hits, size, total = numpy.cumsum((p * w)[order]), numpy.cumsum(w[order]), (p * w).sum()
    if size[-1] == 0: return chosen
    chosen[order[:int(numpy.argmax(2 * hits / (size + .8 * total + 1e-9))) + 1]] = True
    return chosen

def f1(counters, chosen, truth):
    got = collections.Counter()
    for c, take in zip(counters, chosen):
        if take: got.update(c)
    both, size = sum((got & truth).values()), sum(got.values())
    return 2 * both / (size + sum(truth.values())) if size and truth else float(not size and not truth)

def folded(text):
    return ' '.join((text or '').lower().translate(str.maketrans('’‘“”–—\u2011', '\'\'""---')).split())

def alike(answer, truth):
    """The same, or one holds the other with 60 % of its letters, as score.py has it (to which any of the same length are the same)."""
    a, t = sorted((folded(answer), folded(truth)), key=len)
    return bool(a) and a in t and len(a) >= .6 * len(t)

def title_model():
    return HistGradientBoostingClassifier(max_iter=150, learning_rate=0.06, max_leaf_nodes=16, min_samples_leaf=20,
                                          l2_regularization=2.0, max_bins=127, early_stopping=False, random_state=1)

def titles(pages, rows, fold):
    """Prints the held-out share of right titles; the model that has seen all of them."""
    y = numpy.concatenate([p['right'] for p in pages])
    of = numpy.concatenate([[fold[p['domain']]] * len(p['right']) for p in pages])
    starts = numpy.cumsum([0] + [len(p['right']) for p in pages])
    scores = collections.defaultdict(list)
    for k in range(int(os.environ.get('FOLDS', 5))):
        m = title_model().fit(rows[of != k], y[of != k])
        for p, at in zip(pages, starts):
            if fold[p['domain']] != k: continue
            right = bool(len(p['right'])) and p['right'][int(numpy.argmax(m.predict_proba(rows[at:at + len(p['right'])])[:, 1]))]
            scores['all'].append(right); scores[p['kind']].append(right)
    print('titles', {s: round(float(numpy.mean(v)), 4) for s, v in sorted(scores.items())}, flush=True)
    return title_model().fit(rows, y)

def model(trees):
    return HistGradientBoostingClassifier(max_iter=trees, learning_rate=0.1, max_leaf_nodes=24, min_samples_leaf=60,
                                          l2_regularization=2.0, max_bins=127, early_stopping=False, random_state=1)

def main():
    folder, trees = sys.argv[1], int(os.environ.get('TREES', 100))
    truth = {d['file']: d for d in map(json.loads, open(sys.argv[2]))}
    rows = numpy.fromfile(folder + '/features.f32', numpy.float32).reshape(-1, FEATURES)
    title_rows = numpy.fromfile(folder + '/titles.f32', numpy.float32).reshape(-1, TITLE_FEATURES)
    pages, y, weight, at = [], [], [], 0
    rng = numpy.random.default_rng(1)
    used = []
    for line in open(folder + '/blocks.jsonl', errors='replace'):
        page = json.loads(line); d = truth[page['file']]
        blocks = [words(b) for b in page['blocks']]
        content = d['ground_truth'].get('main_content') or ''
        own = numpy.array(labels(blocks, content))
        w = numpy.array([len(b) for b in blocks], float)
        n = len(blocks)
        right = [alike(title, d['ground_truth'].get('title')) for title in page['titles']]
        pages.append({'begin': at, 'n': n, 'right': numpy.array(right, bool), 'w': w, 'y': own, 'counters': [collections.Counter(b) for b in blocks],
                      'truth': collections.Counter(words(content)), 'kind': d['_internal']['page_type']['primary'],
                      'domain': re.sub(r'^www\.', '', d['url'].split('/')[2]) if '//' in d.get('url', '') else page['file']})
        keep = numpy.ones(n, bool)
        if n > MOST_BLOCKS: keep = rng.random(n) < MOST_BLOCKS / n
        times = n / max(1, keep.sum()) * (1 if pages[-1]['kind'] in EASY else 2)
        y.append(own); used.append(keep)
        weight.append((w + .5) / max(100, (w * own).sum() + .3 * w.sum()) ** .9 * times)
        at += n
    y, weight, used = numpy.concatenate(y), numpy.concatenate(weight), numpy.concatenate(used)
    print('rows', len(y), 'used', used.sum(), 'oracle', numpy.mean([f1(p['counters'], p['y'] > .5, p['truth']) for p in pages]), flush=True)
    domains = sorted({p['domain'] for p in pages})
    numpy.random.default_rng(1).shuffle(domains)  # the folds do not depend on the sample
    fold = {d: i % 5 for i, d in enumerate(domains)}
    page_fold = numpy.concatenate([[fold[p['domain']]] * p['n'] for p in pages])
    if len(sys.argv) > 3:
        models = {}
        if sys.argv[4:] != ['title']: models['Main'] = model(trees).fit(rows[used], y[used] > .5, sample_weight=weight[used])
        if sys.argv[4:] != ['main']: models['Title'] = titles(pages, title_rows, fold)
        write(models, sys.argv[3])
    scores = collections.defaultdict(list)
    for k in range(int(os.environ.get('FOLDS', 5))):
        train = (page_fold != k) & used
        m = model(trees).fit(rows[train], y[train] > .5, sample_weight=weight[train])
        for p in pages:
            if fold[p['domain']] != k: continue
            part = rows[p['begin']:p['begin'] + p['n']]
            prob = m.predict_proba(part)[:, 1] if p['n'] else numpy.zeros(0)
            value = f1(p['counters'], choose(prob, p['w']), p['truth'])
            scores['all'].append(value); scores[p['kind']].append(value)
        print('after fold', k, {s: '%.4f of %d' % (numpy.mean(v), len(v)) for s, v in sorted(scores.items())}, flush=True)

def number(value):
    text = '%.5g' % value
    return text + ('f' if re.search('[.e]', text) else '.f')

def write(models, path):
    """Puts each model's nodes, trees and ends in the place of those that the file has."""
    lines = lambda items, n: ''.join('    ' + ', '.join(map(str, items[i:i + n])) + ',\n' for i in range(0, len(items), n))
    text = open(path).read()
    for name, m in models.items():
        starts, cells = [], []
        for (tree,) in m._predictors:
            starts.append('{%d, %d}' % (len(cells), tree.get_max_depth()))
            for at, node in enumerate(tree.nodes):  # a leaf leads to itself
                if node['is_leaf']: cells.append('{%s, {%d, %d}, kLeaf}' % (number(node['value']), at, at))
                else: cells.append('{%s, {%d, %d}, %d}' % (number(node['num_threshold']), node['left'], node['right'], node['feature_idx']))
        for what, body in (('Node k%sNodes' % name, lines(cells, 6)), ('Tree k%sTrees' % name, lines(starts, 10))):
            text, found = re.subn(r'(constexpr Model%s\[\] = \{\n)[^;]*(\};)' % what, lambda m: m[1] + body + m[2], text)
            assert found == 1, what
        end = 'const Model k%sModel{%s, k%sNodes, k%sTrees, %d};' % (
            name, number(float(m._baseline_prediction.ravel()[0])), name, name, len(starts))
        text, found = re.subn(r'const Model k%sModel\{[^}]*\};' % name, end, text)
        assert found == 1, name
    with open(path, 'w') as out: out.write(text)

main()
