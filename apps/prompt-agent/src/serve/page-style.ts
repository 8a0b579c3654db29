export const STYLE = `
:root { --ground: #fbfaf8; --card: #ffffff; --line: #dedad2; --text: #1f1d1a; --dim: #6b665d; --accent: #1f5fbf; --asked: #9a5b00; --good: #2d6a35; --bad: #a82a1c; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #171614; --card: #211f1c; --line: #3a3732; --text: #ece8e0; --dim: #a59f94; --accent: #86b4ff; --asked: #e9b25a; --good: #86c98f; --bad: #ff9c8f; }
}
/* What is scrolled to is not hidden by the form at the bottom. */
html { scroll-padding-bottom: 8rem; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
header, main, form { width: 100%; max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding-block: 1rem; }
h1 { font-size: 1rem; margin: 0; letter-spacing: 0.01em; }
#status { margin: 0; color: var(--dim); font-size: 0.875rem; font-variant-numeric: tabular-nums; }
main { flex: 1; padding-block: 0.5rem 1.5rem; }
main > * { margin: 0 0 1rem; }
.user { margin-left: 15%; padding: 0.6rem 0.9rem; border-radius: 0.75rem; background: var(--card); border: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
.answer { white-space: pre-wrap; overflow-wrap: anywhere; }
.thought { color: var(--dim); font-size: 0.875rem; white-space: pre-wrap; }
.error { color: var(--bad); white-space: pre-wrap; overflow-wrap: anywhere; }
details.call { border: 1px solid var(--line); border-left: 3px solid var(--dim); border-radius: 0.5rem; background: var(--card); padding: 0.35rem 0.75rem; }
.server-question { border: 1px solid var(--line); border-left: 3px solid var(--asked); border-radius: 0.5rem; background: var(--card); padding: 0.35rem 0.75rem; }
.server-question .line { white-space: pre-wrap; overflow-wrap: anywhere; }
.server-question .field { display: block; font-size: 0.875rem; }
.server-question input { display: block; width: 100%; font: inherit; }
details.call summary { cursor: pointer; font-size: 0.875rem; }
details.call[data-status='asked'] { border-left-color: var(--asked); }
details.call[data-status='done'] { border-left-color: var(--good); }
details.call[data-status='failed'], details.call[data-status='denied'] { border-left-color: var(--bad); }
pre { margin: 0.4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.8125rem/1.5 ui-monospace, monospace; max-height: 20rem; overflow: auto; }
/* What goes on in the next row is further in than where a line begins, so that no text can draw one. */
pre.given { padding-left: 2ch; text-indent: -2ch; }
#log .warning { color: var(--bad); font-weight: 600; }
.decide { display: flex; gap: 0.5rem; padding-bottom: 0.4rem; }
.app { margin: 0 0 1rem; }
.app.bordered { border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); overflow: hidden; }
.app figcaption { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: 0.35rem 0.75rem; color: var(--dim); font-size: 0.8125rem; overflow-wrap: anywhere; }
.app iframe { display: block; width: 100%; height: 12rem; border: 0; color-scheme: normal; }
.question:not(:empty) { padding: 0.5rem 0.75rem 0.25rem; border-left: 3px solid var(--asked); font-size: 0.875rem; }
form { position: sticky; bottom: 0; display: grid; grid-template-columns: 1fr auto; gap: 0.5rem; padding-block: 0.75rem 1rem; background: var(--ground); }
form label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
textarea, button { font: inherit; color: inherit; border-radius: 0.5rem; border: 1px solid var(--line); background: var(--card); }
textarea { padding: 0.5rem 0.75rem; resize: vertical; min-width: 0; }
button { padding: 0.3rem 0.9rem; cursor: pointer; }
#send { background: var(--accent); border-color: var(--accent); color: var(--ground); }
button:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
