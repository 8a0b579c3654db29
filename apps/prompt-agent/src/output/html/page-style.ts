/** The style of the page: neutral greys, one accent, and red only beside a mark and a word. Light and dark come from one set of variables. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;
--paper:light-dark(#fcfbf9,#151412);--panel:light-dark(#f4f2ee,#1e1c19);--ink:light-dark(#1f1d1a,#e9e6df);--soft:light-dark(#66615a,#a8a298);
--line:light-dark(#e3dfd8,#34312c);--accent:light-dark(#0a6a5c,#63cbb7);--reply:light-dark(#8f887b,#7a7368);
--bad:light-dark(#a8281c,#ff9d8f);--bad-panel:light-dark(#fbeeec,#2e1c19);--good:light-dark(#14612f,#86d69a);--good-panel:light-dark(#eaf4ec,#17271c);
--sans:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
:root:has(#theme-light:checked){color-scheme:light}
:root:has(#theme-dark:checked){color-scheme:dark}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0 auto;max-width:62rem;padding:2.25rem clamp(1rem,4vw,2.5rem) 4rem;background:var(--paper);color:var(--ink);font:400 1rem/1.6 var(--sans);overflow-wrap:anywhere}
a{color:var(--accent)}
code,pre{font-family:var(--mono);font-size:.875em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
main:focus{outline:none}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:1rem;top:-4rem;padding:.4rem .8rem;background:var(--paper);border:1px solid var(--accent);border-radius:4px}
.skip:focus{top:1rem}
.muted{color:var(--soft);font-weight:400}
.top{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;justify-content:space-between}
.kicker{margin:0;font-size:.875rem;color:var(--soft)}
h1{margin:1.1rem 0 1.4rem;font-size:clamp(1.35rem,3.4vw,1.75rem);line-height:1.25;font-weight:600;letter-spacing:-.015em;text-wrap:balance}
h2{margin:0 0 .8rem;font-size:1rem;font-weight:600}
h3,h4,h5,h6{margin:0 0 .6rem;font-size:.875rem;font-weight:600}
h2 .muted,h3 .muted,h4 .muted,h5 .muted,h6 .muted{margin-left:.5rem;font-size:.8125rem}
.theme{display:flex;margin:0;padding:2px;border:1px solid var(--line);border-radius:7px}
.theme input{position:absolute;opacity:0;width:1px;height:1px}
.theme label{padding:.15rem .65rem;border-radius:5px;font-size:.8125rem;color:var(--soft);cursor:pointer}
.theme input:checked+label{background:var(--panel);color:var(--ink);font-weight:600}
.theme input:focus-visible+label{outline:2px solid var(--accent);outline-offset:1px}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(12.5rem,1fr));gap:.9rem 1.5rem;margin:0;padding:1rem 0;border-block:1px solid var(--line)}
.facts dt{font-size:.8125rem;color:var(--soft)}
.facts dd{margin:0;font-variant-numeric:tabular-nums}
.tools{display:flex;justify-content:flex-end;min-height:2rem;margin:1rem 0 .25rem}
button{padding:.3rem .75rem;border:1px solid var(--line);border-radius:6px;background:none;color:var(--ink);font:inherit;font-size:.8125rem;cursor:pointer}
button:hover{border-color:var(--accent)}
.run{margin-bottom:3rem}
.run+.run{padding-top:2rem;border-top:1px solid var(--line)}
.prompt{padding:.9rem 1.1rem;background:var(--panel);border-radius:8px;border-left:3px solid var(--accent)}
.prose p{margin:0 0 .75em}
.prose .plain{white-space:pre-wrap}
.prose ul,.prose ol{margin:0 0 .75em;padding-left:1.4em}
.prose li p{margin-bottom:.25em}
.prose blockquote{margin:0 0 .75em;padding-left:.9em;border-left:2px solid var(--line);color:var(--soft)}
.prose hr{border:0;border-top:1px solid var(--line);margin:1em 0}
.prose a{color:var(--accent);text-underline-offset:2px}
.prose .address{color:var(--soft);font-size:.875em}
.table{overflow-x:auto;margin-bottom:.75em}
.table table{border-collapse:collapse;font-size:.9375rem}
.table th,.table td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
.prose>:last-child{margin-bottom:0}
.prose .heading{font-weight:600}
.reply{max-width:46rem;margin-bottom:.9rem}
.timeline{margin:1.75rem 0 2.25rem}
figcaption{margin-bottom:.5rem;font-size:.875rem;font-weight:600}
.axis,.row{display:grid;grid-template-columns:minmax(6rem,13rem) minmax(0,1fr) 5.25rem;gap:0 .9rem;align-items:center}
.ticks{position:relative;height:1.3rem;font-size:.75rem;color:var(--soft);font-variant-numeric:tabular-nums}
.ticks span{position:absolute;white-space:nowrap;transform:translateX(-50%)}
.ticks span:first-child{transform:none}
${Array.from({ length: 9 }, (_, index) => `.ticks span:nth-child(${index + 1}){left:calc(var(--step)*${index})}`).join('\n')}
.rows{margin:0;padding:0;list-style:none;border-block:1px solid var(--line)}
.row{min-height:1.7rem;font-size:.8125rem}
.row a{position:relative;color:var(--ink);text-decoration:none;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-family:var(--mono);font-size:.78125rem}
.row a:hover{color:var(--accent);text-decoration:underline}
.row.model a{font-family:var(--sans);font-size:.8125rem;color:var(--soft)}
.row.call a{padding-left:.9rem}
.d1 a{margin-left:1rem}.d2 a{margin-left:2rem}.d3 a{margin-left:3rem}.d4 a{margin-left:4rem}
.track{position:relative;align-self:stretch;background-image:linear-gradient(to right,var(--line) 1px,transparent 1px);background-size:var(--step) 100%}
.bar{position:absolute;top:50%;height:.625rem;margin-top:-.3125rem;min-width:3px;border-radius:2px;background:var(--accent)}
.model .bar{background:var(--reply)}
.failed .bar{background:repeating-linear-gradient(-45deg,var(--bad) 0 3px,var(--bad-panel) 3px 6px);box-shadow:inset 0 0 0 1px var(--bad)}
.open .bar{background:none;border:1px dashed var(--bad)}
.time{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap;text-align:right}
.mark{color:var(--bad);font-weight:700;margin-right:.35em}
.row.failed a{color:var(--bad)}
.turns{margin:0;padding:0;list-style:none}
.turn{padding:0 0 1.75rem;scroll-margin-top:1rem}
.turn:target>h3,.turn:target>h4,.turn:target>h5,.turn:target>h6{color:var(--accent)}
details{margin:.6rem 0;border:1px solid var(--line);border-radius:8px}
summary{padding:.5rem .8rem;cursor:pointer;font-size:.875rem;border-radius:8px}
summary:hover{background:var(--panel)}
details[open]>summary{border-bottom:1px solid var(--line);border-radius:8px 8px 0 0}
.reasoning summary{color:var(--soft)}
.reasoning .prose{padding:.8rem;color:var(--soft);font-size:.9375rem}
.call summary,.reasoning summary{display:flex;gap:.6rem;align-items:baseline;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"";flex:none;align-self:center;width:.4rem;height:.4rem;border:solid var(--soft);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
details[open]>summary::before{transform:rotate(45deg)}
.call:target{border-color:var(--accent)}
.name{flex:none;max-width:60%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font:600 .8125rem/1.5 var(--mono)}
.brief{flex:1 1 auto;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:var(--soft);font-size:.8125rem}
.call .time{margin-left:auto}
.badge{flex:none;padding:0 .5rem;border:1px solid var(--bad);border-radius:99px;font-size:.75rem;color:var(--bad);background:var(--bad-panel)}
.warning{color:var(--bad)}
.badge.plain{border-color:var(--line);color:var(--soft);background:none}
.body{padding:.8rem}
.detail+.detail{margin-top:.9rem}
.label{display:block;margin-bottom:.25rem;font-size:.75rem;font-weight:600;color:var(--soft)}
pre{margin:0;padding:.7rem .85rem;max-height:24rem;overflow:auto;background:var(--panel);border-radius:6px;line-height:1.5;tab-size:4;white-space:pre-wrap;font-size:.8125rem}
/* What goes on in the next row is further in than where a line begins, so that no text can draw one. */
.detail pre>*{display:inline-block;width:100%;padding-left:2ch;text-indent:-2ch}
.prose pre{margin-bottom:.75em}
ins,del{display:inline-block;min-width:100%;text-decoration:none}
ins{color:var(--good);background:var(--good-panel)}
del{color:var(--bad);background:var(--bad-panel)}
.hunk{color:var(--soft)}
.cut,.none{margin:.35rem 0 0;font-size:.8125rem;color:var(--soft);font-style:italic}
.note{margin:0 0 .6rem;font-size:.875rem;color:var(--soft)}
.end{margin:0;padding:.6rem .9rem;border:1px solid var(--bad);border-radius:8px;color:var(--bad);background:var(--bad-panel);font-size:.9375rem}
.end strong::first-letter{text-transform:uppercase}
.agent{margin-top:1.1rem;padding-left:.9rem;border-left:2px solid var(--line)}
.agent .turn{padding-bottom:.9rem}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.8125rem;color:var(--soft)}
footer p{margin:0}
@media (max-width:40rem){
.facts{grid-template-columns:repeat(2,minmax(0,1fr))}
.axis{grid-template-columns:minmax(0,1fr)}.axis>span{display:none}
.row{grid-template-columns:minmax(0,1fr) auto;padding:.2rem 0}
.row .track{grid-row:2;grid-column:1/-1;height:1rem}
.call summary{flex-wrap:wrap}.brief{order:5;flex-basis:100%}.name{max-width:100%}
}
@media (forced-colors:active){.bar{background:CanvasText;forced-color-adjust:none}.failed .bar{background:none;border:2px dashed CanvasText}}
@media print{.theme,.tools,.skip{display:none}pre{max-height:none}}
`;
