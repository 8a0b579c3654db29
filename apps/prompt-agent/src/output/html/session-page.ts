import { createHash } from 'node:crypto';
import { SHORT_ID } from '../../sessions/session-record.ts';
import type { RunView, Transcript } from '../../sessions/transcript.ts';
import { oneLine } from '../escape.ts';
import { countText, durationText } from '../quantities.ts';
import { turns } from './conversation.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { createPageParts, type PageParts } from './page-parts.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import { prose } from './prose.ts';
import { timeline } from './timeline.ts';

const MAX_TITLE = 120;

interface PageAbout {
  readonly kind: 'session' | 'run';
  readonly id: string;
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly command: string;
}

function aboutSession({ session }: Transcript): PageAbout {
  return {
    kind: 'session',
    id: session.id.slice(0, SHORT_ID),
    title: session.name ?? (oneLine(session.title, MAX_TITLE) || 'Session'),
    facts: [['Folder', session.folder]],
    command: 'prompt-agent sessions show --html',
  };
}

/**
 * A session, or a run, as one HTML page, complete in itself: it loads nothing, and its policy allows only its own style and script, by their hashes. Works without
 * JavaScript, too.
 */
export function sessionPage(transcript: Transcript, about = aboutSession(transcript)): string {
  const { runs } = transcript;
  const { kind, id, title, command } = about;
  const parts = createPageParts();
  const body = html`<a class="skip" href="#content">Skip to the conversation</a>
    <header class="page">
      <div class="top">
        <p class="kicker">prompt-agent <span class="muted">${kind}</span> <code>${id}</code></p>
        ${THEME}
      </div>
      <h1>${title}</h1>
      ${facts(transcript, about)}
    </header>
    <main id="content" tabindex="-1">
      <div class="tools"><button type="button" id="all" aria-pressed="false" hidden>Open all details</button></div>
      ${runs.map((run, index) => runMarkup(run, index, parts))}
    </main>
    <footer>
      <p>Written by <code>${command}</code>. Times are those of the machine that ran it.</p>
    </footer>`;
  const style = `${PAGE_STYLE}\n${parts.rules()}\n`;
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(PAGE_SCRIPT)}; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${{ markup: policy }}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title} – prompt-agent</title>
        ${{ markup: `<style>${style}</style>` }}
      </head>
      <body>
        ${body} ${{ markup: `<script>${PAGE_SCRIPT}</script>` }}
      </body>
    </html> `.markup;
}

/** The switch works by style alone; the script only remembers the choice. */
const THEME = html`<fieldset class="theme">
  <legend class="unseen">Theme</legend>
  <input type="radio" name="theme" id="theme-auto" value="auto" checked /><label for="theme-auto">Auto</label
  ><input type="radio" name="theme" id="theme-light" value="light" /><label for="theme-light">Light</label
  ><input type="radio" name="theme" id="theme-dark" value="dark" /><label for="theme-dark">Dark</label>
</fieldset>`;

function facts({ session, runs }: Transcript, about: PageAbout): Markup {
  const { inputTokens, outputTokens, cost, calls } = session;
  const times = runs.reduce((sum, run) => sum + run.endMs - run.startMs, 0);
  const models = [...new Set(runs.map(({ model }) => model.slice(model.indexOf('/') + 1)))].join(', ');
  const pairs: readonly (readonly [string, Markup])[] = [
    ['Begun', timeMarkup(session.createdMs)],
    ...(models === '' ? [] : ([['Model', html`${models}`]] as const)),
    ['Working time', html`${durationText(times)}`],
    ['Turns', html`${countText(session.turns)}`],
    ['Calls', html`${countText(calls)}`],
    ...(inputTokens + outputTokens === 0
      ? []
      : ([['Tokens', html`${countText(inputTokens)} in, ${countText(outputTokens)} out`]] as const)),
    ...(cost === undefined ? [] : ([['Cost', html`$${cost.toFixed(cost < 0.1 ? 4 : 2)}`]] as const)),
    ...about.facts.map(([name, value]) => [name, html`<code>${value}</code>`] as const),
  ];
  return html`<dl class="facts">
    ${pairs.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function runMarkup(run: RunView, index: number, parts: PageParts): Markup {
  const { prompts, model, startMs } = run;
  const asked = prompts.some((prompt) => prompt.trim() !== '')
    ? html`<div class="prompt prose">${prompts.map(prose)}</div>`
    : html`<p class="muted">Goes on with what was pending.</p>`;
  return html`<section class="run" aria-labelledby="run-${index + 1}">
    <h2 id="run-${index + 1}">
      Prompt ${index + 1} <span class="muted">${timeMarkup(startMs)}${model === '' ? NOTHING : html` · ${model}`}</span>
    </h2>
    ${asked}${timeline(run, parts)}${turns(run, parts, 3)}
  </section>`;
}

function timeMarkup(ms: number): Markup {
  const date = new Date(ms);
  const text = date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
