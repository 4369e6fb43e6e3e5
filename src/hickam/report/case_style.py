"""How the report of a case looks: on a phone, on a screen by day and night, and on paper."""

CSS = """
:root { color-scheme: light dark; --paper: #fff; --ink: #17262d; --soft: #4c5e67; --line: #d5dcdf;
  --tint: #f2f5f6; --accent: #0f5a70; --cause: #0f6e7e; --cause-light: #a9d3d9; --for: #4f6f9f;
  --against: #a3562a; --second: #7a4f9a; --both: #8b8f3a; --warn: #9c2b20; }
@media (prefers-color-scheme: dark) { :root { --paper: #10181c; --ink: #e4ebee; --soft: #a5b4bb;
  --line: #2d3c43; --tint: #1a262b; --accent: #7cc7dc; --cause: #58bccb; --cause-light: #2b5a64;
  --for: #86a8dc; --against: #e09a6c; --second: #c39ae0; --both: #c3c76b; --warn: #ff9d90; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .4rem 0; } a { color: var(--accent); }
.soft { color: var(--soft); } .small { font-size: .86rem; } .warn { color: var(--warn); }
ul.terms { list-style: none; padding: 0; margin: .4rem 0; display: flex; flex-wrap: wrap;
  gap: .4rem; }
ul.terms li { background: var(--tint); border-radius: .4rem; padding: .15rem .55rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; }
article { border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; margin: .8rem 0;
  break-inside: avoid; }
.row { display: grid; grid-template-columns: minmax(9rem, 1.3fr) 1fr 4rem 1fr 4rem;
  gap: .2rem .7rem;
  align-items: center; padding: .18rem 0; border-top: 1px solid var(--line); }
.row.head { border: 0; color: var(--soft); font-size: .8rem; }
.row .figure { text-align: right; font-size: .86rem; white-space: nowrap; }
.bar { display: block; width: 100%; height: .75rem; }
.track { fill: var(--tint); } .gone { fill: var(--cause); } .kept { fill: var(--cause-light); }
.for { fill: var(--for); } .against { fill: var(--against); } .axis { fill: var(--soft); }
.first { fill: var(--cause); } .second { fill: var(--second); } .both { fill: var(--both); }
.pair .row { grid-template-columns: minmax(9rem, 1.3fr) 2fr; }
ul.key { list-style: none; padding: 0; margin: .4rem 0; display: flex; flex-wrap: wrap;
  gap: .2rem 1rem; }
.key span { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem;
  margin-right: .35rem; vertical-align: -.05rem; }
.key .first { background: var(--cause); } .key .second { background: var(--second); }
.key .both { background: var(--both); } .key .others { background: var(--tint);
  outline: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  .row { grid-template-columns: 1fr 4rem; } .row > :first-child { grid-column: 1 / -1; }
  .more, .row.head { display: none; } th.n { white-space: normal; font-size: .8rem; }
  .pair .row { grid-template-columns: 1fr; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; }
}
@media print { :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --tint: #eee;
  --accent: #000; --cause: #0f6e7e; --cause-light: #a9d3d9; --for: #4f6f9f; --against: #a3562a;
  --second: #7a4f9a; --both: #8b8f3a; --warn: #9c2b20; }
  main { max-width: none; padding: 0; } h2 { break-after: avoid; } a { text-decoration: none; }
  .bar, .key span { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""
