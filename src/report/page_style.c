/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The style sheet of the page: the fonts that the reader has, the palette of Okabe and Ito (Color
 * Universal Design, 2008; its yellow is olive here, to be seen on white), light or dark as the
 * reader's system is, and paper.
 */
#include <string.h>

#include "report/page.h"

static const char *const rules[] = {
    ":root{--paper:#fff;--ink:#1b1f24;--soft:#5c6670;--line:#e3e6ea;--tint:#f5f7f9;--mark:#0a6b4a;"
    "\n"
    "--caution:#fff4e0;--k0:#0072b2;--k1:#d55e00;--k2:#009e73;--k3:#b6568b;--k4:#c98500;\n"
    "--k5:#56b4e9;--k6:#6b6f76;--k7:#999933;--w0:#8796a8;--w1:#e69f00;--w2:#cc79a7;--w3:#d55e00;\n"
    "--w4:#009e73}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e6e9ec;--soft:#98a2ad;\n"
    "--line:#2b3138;--tint:#1c2127;--mark:#5fd3a6;--caution:#3a2e17;--k0:#4aa8e0;--k1:#f0894a;\n"
    "--k2:#35c497;--k3:#e09ac4;--k4:#eeb23c;--k5:#9ad4f7;--k6:#b4bac2;--k7:#c9c76a;--w0:#74859a;\n"
    "--w1:#dba02a;--w2:#c98ab2;--w3:#e87b3a;--w4:#35c497}}\n",
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);\n"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;\n"
    "font-variant-numeric:tabular-nums}\n"
    "main{max-width:62rem;margin:0 auto;padding:3rem 1.5rem 5rem}\n"
    ".brand{margin:0 0 .6rem;color:var(--soft);font-size:.8rem;letter-spacing:.04em}\n"
    "h1{font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:0 0 .6rem;\n"
    "overflow-wrap:anywhere}\n"
    "h2{font-size:1.35rem;font-weight:650;letter-spacing:-.01em;margin:0 0 1rem}\n"
    "section{margin-top:4rem}\n"
    ".lead{font-size:1.12rem;color:var(--soft);margin:0 0 1.2rem;max-width:44rem;\n"
    "overflow-wrap:anywhere}\n"
    ".lead b{color:var(--ink);font-weight:600}\n"
    "nav{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;padding:.7rem 0;margin-top:1.6rem;\n"
    "border-top:1px solid var(--line);border-bottom:1px solid var(--line);font-size:.92rem}\n"
    "a{color:inherit;text-decoration:none}\n"
    "a:hover{text-decoration:underline}\n"
    ".note{color:var(--soft);font-size:.86rem;line-height:1.5;margin:.6rem 0;max-width:46rem}\n"
    ".caution{background:var(--caution);border-left:3px solid var(--k4);margin:.6rem 0;\n"
    "padding:.45rem .8rem;font-size:.92rem;max-width:46rem;overflow-wrap:anywhere}\n",
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.2rem,1fr));gap:1.1rem;\n"
    "margin:1.6rem 0 0}\n"
    ".tiles dt{color:var(--soft);font-size:.82rem}\n"
    ".tiles dd{margin:0;font-size:1.45rem;font-weight:600;letter-spacing:-.01em;\n"
    "white-space:nowrap}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:.88rem;line-height:1.4}\n"
    "th,td{padding:.34rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
    "tr>:first-child{padding-left:0}\n"
    "th{font-weight:500;text-align:left}\n"
    "thead th{color:var(--soft);font-weight:400;vertical-align:bottom}\n"
    "td{text-align:right;white-space:nowrap}\n"
    ".figures thead th{text-align:right;white-space:nowrap}\n"
    ".figures thead th:first-child{text-align:left}\n"
    "td.text{text-align:left;color:var(--soft)}\n"
    ".method td.text{color:inherit;white-space:normal;overflow-wrap:anywhere}\n"
    ".method th{color:var(--soft);font-weight:400;white-space:nowrap}\n"
    "td small{display:block;color:var(--soft);font-size:.92em}\n"
    ".best{color:var(--mark);font-weight:650}\n"
    ".best small{font-weight:400}\n"
    "code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n"
    "details{margin:.8rem 0}\n"
    "summary{cursor:pointer;color:var(--soft);font-size:.92rem;padding:.15rem 0}\n"
    "summary:hover{color:var(--ink)}\n"
    "details[open]>summary{margin-bottom:.5rem}\n",
    "figure{margin:0 0 2rem;overflow-x:auto}\n"
    "figcaption{font-weight:600;font-size:.95rem;margin-bottom:.5rem}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));\n"
    "gap:1rem 1.6rem}\n"
    ".charts figure{margin:0}\n"
    "svg{display:block;width:100%;height:auto;overflow:visible}\n"
    ".wider svg{min-width:36rem}\n"
    "svg text{font-size:11px;fill:var(--soft)}\n"
    "svg text.name{fill:var(--ink);font-size:12px}\n"
    "svg text.value{fill:var(--ink)}\n"
    "path,rect{vector-effect:non-scaling-stroke}\n"
    ".grid{stroke:var(--line);stroke-width:1;fill:none}\n"
    ".axis{stroke:var(--line);stroke-width:1;fill:none}\n"
    ".line{fill:none;stroke:var(--k);stroke-width:1.6;stroke-linejoin:round}\n"
    ".area{fill:var(--k);fill-opacity:.28}\n"
    ".dark{fill-opacity:.55}\n"
    ".solid{fill:var(--k)}\n"
    ".band{fill:var(--ink);fill-opacity:.13}\n"
    ".layer{fill:var(--k)}\n"
    ".bar{fill:var(--k);fill-opacity:.72;stroke:var(--paper);stroke-width:.6}\n"
    ".bar:hover{fill-opacity:1}\n"
    ".dot{fill:var(--k);stroke:var(--paper);stroke-width:1.2}\n"
    ".probe{fill:var(--ink);fill-opacity:0}\n"
    ".probe:hover{fill-opacity:.08}\n"
    "image{image-rendering:pixelated}\n",
    ".k0{--k:var(--k0)}.k1{--k:var(--k1)}.k2{--k:var(--k2)}.k3{--k:var(--k3)}\n"
    ".k4{--k:var(--k4)}.k5{--k:var(--k5)}.k6{--k:var(--k6)}.k7{--k:var(--k7)}\n"
    ".w0{--k:var(--w0)}.w1{--k:var(--w1)}.w2{--k:var(--w2)}.w3{--k:var(--w3)}.w4{--k:var(--w4)}\n"
    "i[class]{display:inline-block;width:.72em;height:.72em;border-radius:2px;margin-right:.45em;\n"
    "background:var(--k,transparent)}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.3rem;font-size:.88rem;margin:0 0 .8rem}\n"
    ".ramp{display:inline-block;width:8rem;height:.7em;\n"
    "background:linear-gradient(90deg,transparent,#1f83c4);border:1px solid var(--line)}\n"
    "@media (max-width:40rem){main{padding:1.6rem 1rem 3rem}h1{font-size:1.5rem}\n"
    "section{margin-top:3rem}}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--line:#ccc;--tint:#fff;\n"
    "--mark:#0a6b4a;--k0:#0072b2;--k1:#d55e00;--k2:#009e73;--k3:#b6568b;--k4:#c98500;\n"
    "--k5:#56b4e9;--k6:#6b6f76;--k7:#999933}\n"
    "main{max-width:none;padding:0}nav,summary{display:none}section{margin-top:2rem}\n"
    "figure,tr,.tiles{break-inside:avoid}h2{break-after:avoid}body{font-size:10.5pt}\n"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n",
};

void hs_page_style(struct hs_output *out)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        hs_output_put(out, rules[i], strlen(rules[i]));
}
