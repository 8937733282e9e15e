#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# extract-items: items by selectors and rules, the fixed sets, records in and out.

load helper

setup() {
  cat >shop.html <<'END'
<!doctype html><base href="/shop/"><title>Shop</title>
<ul><li class="product new" data-id=7><h2><a href="tea?id=7">Green
  tea</a></h2><p class=price>3.20<script>x</script><li class=product data-id=8><h2><a href="salt">Salt</a></h2>
<p class=price>0.90<p class=price hidden>1.10</ul>
END
  fields=(--each=li.product name=h2 price=.price link=a@href id=@data-id)
  list() { extract-items --base=http://h/p "$@"; }
  records() { printf 'http://h/p\ttype=text/html\tbody=%s\tx=1\toutcome=%s\n' "$(sed -z 's/\\/\\\\/g;s/\n/\\n/g' "$1")" "${2-ok}"; }
  T=$'\t'
}

@test "one record an item, its values folded and absolute" {
  list "${fields[@]}" shop.html >out
  diff - out <<END
http://h/p${T}item=1${T}name=Green tea${T}price=3.20${T}link=http://h/shop/tea?id=7${T}id=7${T}outcome=item
http://h/p${T}item=2${T}name=Salt${T}price=0.90${T}price=1.10${T}link=http://h/shop/salt${T}id=8${T}outcome=item
END
}

@test "records: items, then the page's own without its body; the rest passes" {
  { records shop.html; printf 'http://h/next\tdepth=1\n'; records shop.html not-found; } >in
  extract-items "${fields[@]}" in >out
  (($(wc -l <out) == 5))
  [[ $(sed -n 3p out) == "http://h/p${T}type=text/html${T}x=1${T}items=2${T}outcome=ok" ]]
  diff <(sed -n 2,3p in) <(sed -n 4,5p out)
  extract-items --keep-body "${fields[@]}" in | sed -n 3p | grep -q 'body=.*items=2'
}

@test "--items-to keeps items apart, and records as they are" {
  { records shop.html; records shop.html; } >in
  extract-items --items-to=items "${fields[@]}" in | cmp - in
  diff <(list "${fields[@]}" shop.html; list "${fields[@]}" shop.html) items
  run -2 extract-items --items-to=. x=a in
}

@test "bug: a page whose items could not be kept was dropped" {
  { records shop.html; records shop.html; } >in
  run -2 --separate-stderr extract-items --items-to=/dev/full "${fields[@]}" in
  [[ $stderr == *': --items-to: cannot write /dev/full: No space left on device' ]]
  ((${#lines[@]} == 2))
  [[ ${lines[0]} == *"error=--items-to: cannot write /dev/full: No space left on device${T}outcome=aborted" && ${lines[0]} != *body=* ]]
  printf 'http://h/\titem=1\tna' >items
  extract-items --items-to=items "${fields[@]}" in >/dev/null
  diff <(printf 'http://h/\titem=1\tna\n'; list "${fields[@]}" shop.html; list "${fields[@]}" shop.html) items
}

@test "without --each the page is the item; what finds nothing is none" {
  run -0 list title=title 'prices=li > .price' shop.html
  [[ $output == "http://h/p${T}item=1${T}title=Shop${T}prices=3.20${T}prices=0.90${T}prices=1.10${T}outcome=item" ]]
  run -0 list nothing=table shop.html
  [[ -z $output ]]
}

@test "a blank stands where a block ends, however deep, and nowhere else" {
  text() { echo "$1" | list t=body --fields=t; }
  [[ $(text '<a><div>Name</div></a><span>3</span>') == 'Name 3' ]]
  [[ $(text 'a<b>b</b><i>c</i>d') == abcd ]]
  [[ $(text '<p>a<p>b<br>c<hr>d<ul><li>e<li>f</ul>g') == 'a b c d e f g' ]]
  [[ $(text '<table><tr><td>a<td><b>b</b><tr><td>c</table>d') == 'a b c d' ]]
  [[ $(text '<select><option>a<option>b</select><button>c</button>') == 'a b c' ]]
  [[ $(text 'a<script><p>x</script>b<div hidden>x</div>c<style>x</style>') == abc ]]
  [[ $(text '<template><p>x</template>&amp;&nbsp;&#0;<![CDATA[x]]>') == $'&\xc2\xa0\xef\xbf\xbd' ]]
}

@test "bug: what an SVG does not show was text of an item" {
  svg='<svg><style>.a{b:c}</style><script>d()</script><metadata><x>e</x></metadata><title>Home</title><text>f</text></svg>'
  run -0 list t=h2 --fields=t <<<"<h2>$svg g</h2>"
  [[ $output == 'Homef g' ]]
  run -0 list t=p --fields=t <<<'<p><math><mi>x</mi><annotation>\frac</annotation></math>'
  [[ $output == x ]]
  # A selector that names such an element does get its text.
  run -0 list t=style --fields=t <<<"$svg"
  [[ $output == '.a{b:c}' ]]
}

@test "items within items: a value is the innermost's, and :scope is the item" {
  echo '<div class=c><b>1</b><div class=c><b>2</b></div><p><b>3</b></p></div>' >nested
  run -0 list --each=b t=:scope here=:scope@href --fields=item,t,here nested
  [[ $output == "1${T}1${T}"$'\n'"2${T}2${T}"$'\n'"3${T}3${T}" ]]
  run -0 list t=:scope --fields=t nested
  [[ $output == '1 2 3' ]]
  run -0 list --each=.c b=b near='> b' --fields=item,b,near nested
  [[ $output == "1${T}1${T}1"$'\n'"2${T}2${T}2" ]]
}

@test "rules by host and path" {
  cat >rules <<'END'
# shops
field title title
[.h]
path ^/p
each li
type Product
field name h2 a
field sale #none
[other.example]
field never title
END
  run -0 list --rules=rules shop.html
  [[ ${lines[0]} == "http://h/p${T}item=1${T}title=Shop${T}outcome=item" ]]
  [[ ${lines[1]} == "http://h/p${T}item=2${T}type=Product${T}name=Green tea${T}outcome=item" ]]
  (($(list --rules=rules shop.html | wc -l) == 3))
  run -0 extract-items --base=http://x.h/q --rules=rules shop.html
  ((${#lines[@]} == 1))
  run -0 extract-items --check --rules=rules
}

@test "a mistake in ten thousand lines is named by file and line" {
  for ((i = 0; i < 10000; i++)); do echo "field f$i .c$i"; done >rules
  sed -i '6789s/.*/field bad a:hover/' rules
  run -1 extract-items --check --rules=rules
  [[ $output == 'extract-items: rules:6789: selector "a:hover", character 2: :hover is of a browser'* ]]
  run -2 list --rules=rules shop.html
  [[ $output == *rules:6789:* ]]
  run -2 list --rules=missing shop.html
  [[ $output == *missing* ]]
  # Mistakes of those who write fields as on the command line.
  printf '%s\n' 'name h2' 'field name=h2>a' >rules
  run -1 extract-items --check --rules=rules
  [[ $output == *'rules:1: unknown directive "name": a line begins with each, type, field (field NAME SELECTOR)'* ]]
  [[ $output == *'rules:2: name "name=h2>a" of a field is not of'*': write "field name h2>a"'* ]]
}

@test "selectors that are none name the token and its place" {
  check() {
    run -1 extract-items --check "x=$1"
    [[ $output == *"character $2: $3"* ]] || { echo "$1: $output"; false; }
  }
  check 'a::before' 2 'pseudo-element "::before"'
  check 'a >' 4 'ends where a selector should be'
  check 'a, , b' 4 'unexpected ","'
  check '[href=3]' 7 'value "3" is not a name'
  check ':nth-child(x)' 12 '"x" is not an+b'
  check ':has(:has(a))' 6 ':has( within :has('
  check 'a:frob' 2 'unknown pseudo-class ":frob"'
  check '.5' 1 '"." without a class'
  check ':is(a' 4 '"(" without its ")"'
  check 'svg|a' 4 'unexpected "|"'
  run -2 extract-items 'outcome=a'
  run -2 extract-items
}

@test "JSON-LD: objects, graphs, members within members" {
  cat >ld.html <<'END'
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Product","@id":"#p","name":"A\u0026B",
"offers":[{"@type":"Offer","price":1.5},{"price":2}]},{"@type":["Thing","http://schema.org/Place"],"url":"u"}]}</script>
<script type="application/ld+json">
//<![CDATA[
{"@type":"Place","name":"two
lines"};
//]]></script><script type="application/ld+json"> </script>
<script type="application/ld+json">{broken</script>
END
  run -1 list --json-ld ld.html
  [[ $output == *"http://h/p${T}item=1${T}type=Product${T}id=#p${T}name=A&B${T}offers.type=Offer${T}offers.price=1.5${T}offers.price=2${T}outcome=item"* ]]
  [[ $output == *"item=2${T}type=Thing${T}type=Place${T}x-url=u${T}outcome=item"* ]]
  [[ $output == *"type=Place${T}name=two lines${T}outcome=item"* ]]
  [[ $output == *'extract-items: ld.html:8: JSON-LD: no JSON'* ]]
  records ld.html >in
  run -1 extract-items --json-ld in
  [[ $output == *'extract-items: in:1: line 8 of the page: JSON-LD: no JSON'* ]]
}

@test "bug: what stands beside @graph was lost, and names and values in full had names of their own" {
  ld() { printf '<script type="application/ld+json">%s</script>' "$1" | extract-items --base=http://h/p --json-ld; }
  run -0 ld '{"@context":"https://schema.org","@type":"WebPage","name":"Outer","@graph":[{"name":"A"},{"@id":"g","@graph":[{"name":"B"}]}]}'
  [[ ${lines[0]} == "http://h/p${T}item=1${T}type=WebPage${T}name=Outer${T}outcome=item" ]]
  [[ ${lines[1]} == "http://h/p${T}item=2${T}name=A${T}outcome=item" ]]
  [[ ${lines[2]} == "http://h/p${T}item=3${T}name=B${T}outcome=item" ]]
  ((${#lines[@]} == 3))
  right="http://h/p${T}item=1${T}type=Product${T}name=Tea${T}name.language=en${T}offers.price=3${T}outcome=item"
  run -0 ld '{"@type":"schema:Product","schema:name":{"@value":"Tea","@language":"en"},"@nest":{"schema:offers":{"schema:price":3}}}'
  [[ $output == "$right" ]]
  run -0 ld '[{"@type":["http://schema.org/Product"],"http://schema.org/name":[{"@value":"Tea","@language":"en"}],
    "http://schema.org/offers":{"@context":{"a":"b"},"http://schema.org/price":{"@list":[{"@value":3}]}}}]'
  [[ $output == "$right" ]]
}

@test "microdata, RDFa, Open Graph, tables" {
  cat >data.html <<'END'
<meta property=og:title content=T><meta property="og:image" content="/i.png">
<div itemscope itemtype="https://schema.org/Product" itemref=more><b itemprop=name>Tea</b>
<div itemprop=offers itemscope itemtype="https://schema.org/Offer"><meta itemprop=price content=3>
<a itemprop=url href=o>o</a></div></div><p id=more itemprop=note>N</p>
<div vocab="https://schema.org/" typeof=Person><i property=name>Al</i></div>
<table><tr><th>Name<th>Price each<tr><td rowspan=2>x<td>1<tr><td>2</table>
END
  run -0 list --microdata data.html
  [[ $output == "http://h/p${T}item=1${T}type=Product${T}name=Tea${T}offers.type=Offer${T}offers.price=3${T}offers.url=http://h/o${T}note=N${T}outcome=item" ]]
  run -0 list --rdfa data.html
  [[ $output == "http://h/p${T}item=1${T}type=Person${T}name=Al${T}outcome=item" ]]
  run -0 list --opengraph data.html
  [[ $output == "http://h/p${T}item=1${T}type=website${T}og.title=T${T}og.image=http://h/i.png${T}outcome=item" ]]
  run -0 list --tables --fields=table,row,name,price-each data.html
  [[ $output == "1${T}1${T}x${T}1"$'\n'"1${T}2${T}x${T}2" ]]
}

@test "bug: a cell that spans all rows of its part was in the first, one that spans too many in the next part, and an empty row did not count" {
  echo '<table><tr><th>a<th>b<tbody><tr><td rowspan=0>x<td>1<tr><td>2<tbody><tr><td>y<td rowspan=9>3<tr><td>z
<tbody><tr><td rowspan=2>v<td>4<tr></tr><tr><td>w<td rowspan=x>5</table>' >spans.html
  run -0 list --tables --fields=a,b spans.html
  [[ $output == "x${T}1"$'\n'"x${T}2"$'\n'"y${T}3"$'\n'"z${T}3"$'\n'"v${T}4"$'\n'"w${T}5" ]]
}

@test "bug: a cell that spans rows was left out of a row that ends ahead of it, and was in one too many" {
  echo '<table><tr><th>a<th>b<th>c<tr><td>1<td>2<td rowspan=2>x<tr><td>3<tr><td>4<td>5</table>' >short.html
  run -0 list --tables --fields=a,b,c short.html
  [[ $output == "1${T}2${T}x"$'\n'"3$T${T}x"$'\n'"4${T}5$T" ]]
}

@test "bug: films and sounds of Open Graph, and images of twitter:image:src, were relative" {
  echo '<meta property=og:video content=/v.mp4><meta property=og:audio content=a.mp3><meta name=twitter:image:src content=i.png>
<meta property=og:video:type content=video/mp4>' >og.html
  run -0 list --opengraph --fields=og.video,og.audio,twitter.image.src,og.video.type og.html
  [[ $output == "http://h/v.mp4${T}http://h/a.mp3${T}http://h/i.png${T}video/mp4" ]]
}

@test "bug: of microdata the number of a list's item, and of ins and del their day, was the value" {
  echo '<ol itemscope><li itemprop=step value=3>Stir<li itemprop=step><ins datetime=2026-01-02>new</ins></ol>
<div itemscope><del itemprop=a datetime=2026-01-02>old</del><button itemprop=b value=x>Buy</button><time itemprop=c datetime=2026-01-02>today</time>
<data itemprop=d value=7>seven</data><meter itemprop=e value=.5>half</meter></div>' >values.html
  run -0 list --microdata --fields=step,a,b,c,d,e values.html
  [[ $output == "Stir$T$T$T$T$T"$'\n'"${T}old${T}Buy${T}2026-01-02${T}7${T}.5" ]]
}

@test "bug: elements that itemref names twice counted twice, items that refer to themselves eight times, and the 65th reference of a page not at all" {
  echo '<p id=r itemprop=a>1</p><div itemscope itemref="r s r"><b itemprop=a>2</b><i id=s><b itemprop=a>3</b></i></div>
<div itemscope id=x itemref=x itemprop=z><b itemprop=n>4</b></div><div itemscope itemref=x></div>' >refs.html
  run -0 list --microdata refs.html
  [[ ${lines[0]} == "http://h/p${T}item=1${T}a=1${T}a=2${T}a=3${T}outcome=item" ]]
  [[ ${lines[1]} == "http://h/p${T}item=2${T}z.n=4${T}outcome=item" ]]
  ((${#lines[@]} == 2))
  { echo '<i id=b itemprop=brand>B</i>'; for _ in {1..70}; do echo '<div itemscope itemref=b><u itemprop=n>x</u></div>'; done; } >many.html
  run -0 list --microdata --fields=brand many.html
  [[ $(uniq -c <<<"$output") =~ ^\ *70\ B$ ]]
}

@test "bug: an item of RDFa that is a link had lost its address" {
  echo '<ol vocab="https://schema.org/" typeof=BreadcrumbList><li property=itemListElement typeof=ListItem>
<a property=item typeof=WebPage href=b><b property=name>Books</b></a></ol>
<img typeof=ImageObject src=i.png about=/a><a typeof=Person resource=#me href=p></a>' >links.html
  run -0 list --rdfa --fields=type,id,itemlistelement.item.id,itemlistelement.item.name links.html
  [[ $output == "BreadcrumbList$T${T}http://h/b${T}Books"$'\n'"ImageObject${T}http://h/a$T$T"$'\n'"Person${T}http://h/p#me$T$T" ]]
}

@test "bug: an item of RDFa that was a property of the page itself was none" {
  echo '<body vocab="https://schema.org/"><div property=mainEntity typeof=Product><b property=name>Tea</b><i property=brand typeof=Brand>
<b property=name>Leaf</b></i></div><p typeof=Place><b property=name>H</b></p><div property=about typeof=Thing><b property=name>X</b></div>' >rdfa.html
  run -0 list --rdfa --fields=type,name,brand.name rdfa.html
  [[ $output == "Product${T}Tea${T}Leaf"$'\n'"Place${T}H$T"$'\n'"Thing${T}X$T" ]]
}

@test "bug: names of schema.org by a prefix of the page's own were not short in RDFa" {
  echo '<body prefix="S:  https://schema.org/ dc: http://purl.org/dc/terms/ x:"><div typeof=s:Product><b property="s:name dc:title s:">Tea</b>
<i property=s:brand typeof=s:Brand><b property=S:name>Leaf</b></i><i property=x:y>z</i></div>' >rdfa.html
  run -0 list --rdfa rdfa.html
  [[ $output == "http://h/p${T}item=1${T}type=Product${T}name=Tea${T}dc.title=Tea${T}"*"brand.type=Brand${T}brand.name=Leaf${T}x.y=z${T}outcome=item" ]]
}

@test "bug: cells under Type, Table or Row were behind what the item says of itself" {
  echo '<table><tr><th>Type<th>Row<th>Name<tr><td>green<td>9<td>Tea</table>' >types.html
  run -0 list --tables --fields=type,table,row,x-type,x-row,name types.html
  [[ $output == "table${T}1${T}1${T}green${T}9${T}Tea" ]]
}

@test "bug: the header of a table of one column was a row" {
  echo '<table><tr><th>Name<tr><td>Tea<tr><td>Salt</table><table><tr><th colspan=2>All<tr><td>a<td>b</table>' >one.html
  run -0 list --tables --fields=table,row,name,column1,column2 one.html
  [[ $output == "1${T}1${T}Tea$T$T"$'\n'"1${T}2${T}Salt$T$T"$'\n'"2${T}1$T${T}All${T}All"$'\n'"2${T}2$T${T}a${T}b" ]]
}

@test "bug: --type and --charset were taken without the document that they are of" {
  local tool word
  for tool in extract-items extract-links extract-text; do
    for word in --type=text/html --charset=utf-8; do
      run -2 "$tool" $word /dev/null
      [[ $output == *"$tool: ${word%=*} is of a document, and goes with --base"* ]]
    done
  done
}

@test "--explain says what matched where" {
  run -0 list --explain --each=li link=a@href shop.html
  [[ ${lines[0]} == *"${T}match=link line 2 offset "*" a${T}outcome=item" ]]
}

@test "bug: XHTML was read by HTML's rules, and <title/> swallowed the page" {
  page='<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><div/><h1>Salt &amp; <![CDATA[<b>]]></h1><a HREF="1"/><a href="2"/></body></html>'
  fields=(name=h1 link=a@href)
  right=$'http://h/p\titem=1\tname=Salt & <b>\tlink=http://h/2\toutcome=item'
  [[ $(extract-items --base=http://h/p --type=application/xhtml+xml "${fields[@]}" <<<"$page") == "$right" ]]
  printf 'http://h/p\ttype=application/xhtml+xml\tbody=%s\toutcome=ok\n' "$page" >record
  [[ $(extract-items "${fields[@]}" record | head -n 1) == "$right" ]]
  [[ $(extract-items --base=http://h/p --type=text/html "${fields[@]}" <<<"$page") == '' ]]
}

@test "what is no HTML, empty or cut is no error" {
  run -0 list x=a --type=image/png shop.html
  [[ -z $output ]]
  : >empty
  run -0 list x=a empty
  [[ -z $output ]]
  printf '<ul><li><a href=x' >cut
  run -0 list x=li y=a cut
  printf '\xff\xfe<\0a\0>\0x\0' >utf16
  run -0 list x=a --fields=x utf16
  [[ $output == x ]]
}

# A million of each construct. CPU time is measured, to which other work on the machine adds nothing. It is usually a
# second, and would be hours if it were not linear.
@test "hostile pages take time that grows with their size" {
  local n=1000000
  is_sanitized && n=50000
  python3 - $n <<'END'
import sys
n = int(sys.argv[1])
pages = {
    "deep": "<div class=c>" * n,
    "tagged": "<p><a" + " a=b" * n + " class=c>x",
    "named": "<p><a" + "".join(" a%d=b" % i for i in range(n)) + " class=c href=x>x",
    "items": "<div class=c><b>x" * n,
    "misnested": "<b><i><p class=c>" * (n // 4) + "</b></i>" * (n // 4),
    "siblings": "<p class=c>" * n,
    "classes": "<p class='" + "c d " * n + "'><b>x",
    "tables": "<table><tr><td>" * (n // 4),
    "formats": "".join("<b a%d>" % i for i in range(n // 4)) + "<p>" * 1000,
    "scopes": "<div itemscope itemprop=a typeof=b property=c>" * (n // 4),
    "references": "<div itemscope itemref='a b c' id=a>" * (n // 4),
    "json": "<script type=application/ld+json>" + '{"a":[' * n,
}
for name, text in pages.items():
    open(name + ".html", "w").write(text)
END
  tries=(
    "--each=div:has(b ~ .c, .c:last-child)|x=b"
    "--each=div:not(:has(> p > a))|x=b"
    "--each=div:has(.c .c .c)|x=:is(div div, p + p) b|y=:nth-last-child(2n+1)|z=:nth-of-type(3)"
    "--each=.c:has(+ .c):has(~ .c .c)|x=.c ~ .c ~ :is(.c, p):nth-child(odd of .c)|y=:scope > .c + .c"
    "--json-ld|--microdata|--rdfa|--opengraph|--tables|x=.c:empty"
  )
  for page in *.html; do
    for try in "${tries[@]}"; do
      IFS='|' read -ra words <<<"$try"
      status=0
      (ulimit -t 40; exec "$SPINNERET_BIN/extract-items" --base=http://h/ --explain "${words[@]}" "$page" >out 2>err) || status=$?
      # Status 1: what is too deep or too much is reported, and the rest is read.
      ((status <= 1)) || { echo "$page $try: $status"; tail -c 300 err; false; }
      (($(stat -c %s out) < 200 << 20))
    done
  done
}
