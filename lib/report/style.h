// SPDX-License-Identifier: Apache-2.0
// The report's style sheet.
#ifndef SPINNERET_REPORT_STYLE_H_
#define SPINNERET_REPORT_STYLE_H_

#include <string_view>

namespace spinneret::report {

// Colour-blind readers can tell the kinds apart as well.
constexpr std::string_view kStyleSheet = R"css(
:root{color-scheme:light dark;--page:#f4f5f3;--card:#fff;--ink:#1c2321;--soft:#66706c;--line:#e1e5e2;
--fetched:#12816a;--redirected:#3f7fc1;--refused:#e0912f;--failed:#c8414f;--blocked:#8b929b;--tint:#e3f1ec}
@media(prefers-color-scheme:dark){:root{--page:#121615;--card:#1b2120;--ink:#e6ebe8;--soft:#98a39e;--line:#2e3735;
--fetched:#3fb899;--redirected:#6aa5e3;--refused:#eba94f;--failed:#ea6b76;--blocked:#7c868f;--tint:#1d3530}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:70rem;margin:0 auto;padding:clamp(1rem,4vw,2.5rem) clamp(.75rem,3vw,2rem)}
header{margin-bottom:1.5rem}
h1{font-size:clamp(1.5rem,5vw,2.2rem);line-height:1.15;margin:0 0 .3rem;letter-spacing:-.02em;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:0 0 .9rem}
h3{font-size:.8rem;font-weight:600;color:var(--soft);margin:1rem 0 .4rem}
h2+h3{margin-top:0}
header p,footer{color:var(--soft);margin:0}
section,.tile,.findings{background:var(--card);border:1px solid var(--line);border-radius:.7rem}
section{padding:1.1rem 1.2rem;min-width:0}main>section+section{margin-top:.75rem}
.tiles{display:grid;grid-template-columns:1fr 1fr;gap:.75rem;margin-bottom:.75rem}
@media(min-width:30rem){.tiles{grid-template-columns:repeat(3,1fr)}}
@media(min-width:58rem){.tiles{grid-template-columns:none;grid-auto-flow:column;grid-auto-columns:1fr}}
.tile{padding:.85rem 1rem;display:flex;flex-direction:column}
.tile b{font-size:1.55rem;line-height:1.2;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.tile span,.tile em{color:var(--soft);font-size:.85rem;font-style:normal}
.findings{list-style:none;margin:0 0 .75rem;padding:.75rem 1.2rem}
.findings li{padding:.2rem 0 .2rem 1.5rem;position:relative;overflow-wrap:anywhere}
.findings li::before{content:"";position:absolute;left:0;top:.62rem;width:.7rem;height:.7rem;border-radius:50%;background:var(--soft)}
.findings .good::before{background:var(--fetched)}.findings .open::before{background:var(--refused)}
.findings .bad::before{background:var(--failed)}.findings .note::before{background:var(--blocked)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:.75rem;margin:.75rem 0}
.stack{display:grid;gap:.75rem;align-content:start;min-width:0}.stack:empty{display:none}
svg{display:block;width:100%}
.chart{display:grid;grid-template-columns:3.4rem 1fr;gap:.5rem}
.axis{display:flex;flex-direction:column;justify-content:space-between;text-align:right;margin:-.5em 0;line-height:1}
.axis,.times,.labels,.caption{color:var(--soft);font-size:.72rem;font-variant-numeric:tabular-nums}
.times,.labels{display:flex;justify-content:space-between;margin:.35rem 0 0 3.9rem}
.labels span{flex:1 1 0;text-align:center;min-width:0}
.caption{margin:.4rem 0 0 3.9rem}
.rate{height:10rem}.total{height:5rem}.columns{height:9rem}
.strip{height:1.4rem;border-radius:.35rem;overflow:hidden}
.bar{height:.35rem;border-radius:.2rem;background:var(--line);margin-top:.25rem;overflow:hidden}
.grid{stroke:var(--line);stroke-width:1;fill:none;vector-effect:non-scaling-stroke}
.pause{stroke:var(--soft);stroke-dasharray:4 4;fill:none;vector-effect:non-scaling-stroke}
.area{fill:var(--tint)}.line{fill:none;stroke:var(--fetched);stroke-width:2;vector-effect:non-scaling-stroke}
rect.fetched,rect.single{fill:var(--fetched)}rect.redirected{fill:var(--redirected)}rect.refused{fill:var(--refused)}
rect.failed{fill:var(--failed)}rect.blocked{fill:var(--blocked)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:0;margin:.7rem 0 1rem;font-size:.85rem}
.legend i{display:inline-block;width:.75rem;height:.75rem;border-radius:.2rem;margin-right:.4rem;vertical-align:-.05rem}
i.fetched{background:var(--fetched)}i.redirected{background:var(--redirected)}i.refused{background:var(--refused)}
i.failed{background:var(--failed)}i.blocked{background:var(--blocked)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td,th{padding:.4rem .5rem;vertical-align:top;text-align:left;border-top:1px solid var(--line)}
tr:first-child>*{border-top:0}tbody tr:first-child>*{border-top:1px solid var(--line)}
.bars tbody tr:first-child>*,.bars tr:first-child>*{border-top:0}
td:first-child,th:first-child{padding-left:0}td:last-child,th:last-child{padding-right:0}
th{color:var(--soft);font-weight:500;font-size:.8rem;border-top:0}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.share{color:var(--soft);width:4.5rem}
small{color:var(--soft)}
.wide{overflow-x:auto}.wide td:first-child{min-width:12.5rem}.wide .tag{display:inline-block;margin-top:.2rem}
a{color:inherit;text-decoration-color:var(--line);text-underline-offset:.2em}a:hover{text-decoration-color:currentColor}
.url{overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:repeat(4,1fr);gap:.5rem;margin:1rem 0 0}
dt{color:var(--soft);font-size:.8rem}dd,.times span,.tile b{white-space:nowrap}dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.pages{list-style:none;margin:0;padding:0}
.pages li{display:flex;gap:.75rem;padding:.5rem 0;border-top:1px solid var(--line)}
.pages li:first-child{border-top:0;padding-top:0}
.pages div{min-width:0}.pages p{margin:0;color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
.tag{flex:none;align-self:flex-start;font-size:.72rem;font-weight:600;line-height:1.2;padding:.22rem .45rem;border-radius:.3rem;
border:1px solid var(--soft);color:var(--soft);font-variant-numeric:tabular-nums}
.tag.refused{border-color:var(--refused);color:var(--refused)}.tag.failed{border-color:var(--failed);color:var(--failed)}
details[open] summary{margin-bottom:.75rem}summary{cursor:pointer;color:var(--soft);font-size:.85rem;margin-top:.75rem}
.more{color:var(--soft);font-size:.85rem;margin:.75rem 0 0;overflow-wrap:anywhere}
button,input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.35rem;padding:.25rem .7rem}
button{cursor:pointer}button:hover,input:hover{border-color:var(--soft)}
.now,.steer{max-width:70rem;margin:0 auto 1rem;color:var(--soft)}.now b{color:var(--ink)}
.steer{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-bottom:0;
padding:.75rem clamp(.75rem,3vw,2rem);background:var(--page);border-bottom:1px solid var(--line)}
.steer input{width:6.5rem}.steer label{margin-left:auto}
.again{overflow-wrap:anywhere}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
footer{font-size:.85rem;margin-top:1.5rem}
@media print{body{background:#fff}section,.tile,.findings{break-inside:avoid}}
)css";

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_STYLE_H_
