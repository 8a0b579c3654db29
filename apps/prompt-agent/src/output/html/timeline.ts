import { sliceHead } from '@kernel/internal';
import type { CallView, RunView } from '../../sessions/transcript.ts';
import { durationText } from '../quantities.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { failureOf, type PageParts } from './page-parts.ts';

/** More rows than anybody reads; what is left out is in the turns. */
const MAX_ROWS = 300;
const MAX_DEPTH = 4;

interface Row {
  readonly label: string;
  readonly href: string;
  readonly kind: 'model' | 'call';
  readonly depth: number;
  readonly startMs: number;
  /** Undefined for one that has not ended. */
  readonly durationMs: number | undefined;
  readonly failure: string | undefined;
}

/** The timeline of a run: a bar for each reply of the model and each call, those of agents below their call, on one time axis. */
export function timeline(run: RunView, parts: PageParts): Markup {
  const rows = rowsOf(run, parts, 0);
  if (rows.length === 0) return NOTHING;
  const endMs = rows.reduce((end, { startMs, durationMs = 0 }) => Math.max(end, startMs + durationMs), run.endMs);
  const spanMs = Math.max(1, endMs - run.startMs);
  const step = tickStep(spanMs);
  const ticks = Array.from({ length: Math.floor(spanMs / step) + 1 }, (_, index) => index * step);
  const id = parts.styled(`--step:${percent(step / spanMs)}`);
  const shown = rows.slice(0, MAX_ROWS);
  const left = rows.length - shown.length;
  return html`<figure class="timeline" id="${id}">
    <figcaption>Timeline <span class="muted">${durationText(spanMs)}</span></figcaption>
    <div class="axis" aria-hidden="true">
      <span></span>
      <div class="ticks">${ticks.map((tick) => html`<span>${tickText(tick)}</span>`)}</div>
      <span></span>
    </div>
    <ol class="rows">
      ${shown.map((row) => rowMarkup(row, run.startMs, spanMs, parts))}
    </ol>
    ${left > 0 ? html`<p class="muted">${left} more are in the turns below.</p>` : NOTHING}
  </figure>`;
}

function rowMarkup(row: Row, originMs: number, spanMs: number, parts: PageParts): Markup {
  const { label, href, kind, depth, startMs, durationMs, failure } = row;
  const left = Math.min(1, Math.max(0, (startMs - originMs) / spanMs));
  const width = durationMs === undefined ? 1 - left : Math.min(1 - left, durationMs / spanMs);
  const id = parts.styled(`left:${percent(left)};width:${percent(width)}`);
  const time = durationMs === undefined ? 'no end' : durationText(durationMs);
  const begun = durationText(Math.max(0, startMs - originMs));
  const state = durationMs === undefined ? ' open' : failure === undefined ? '' : ' failed';
  return html`<li class="row ${kind}${state} d${Math.min(depth, MAX_DEPTH)}">
    <a href="#${href}"
      >${failure === undefined ? NOTHING : html`<span class="mark" aria-hidden="true">✕</span>`}${sliceHead(label, 100)}<span
        class="unseen"
        >, begun after ${begun}${failure === undefined ? '' : `, ${failure}`}</span
      ></a
    ><span class="track" aria-hidden="true"><span class="bar" id="${id}"></span></span><span class="time">${time}</span>
  </li>`;
}

function rowsOf(run: RunView, parts: PageParts, depth: number): readonly Row[] {
  return run.turns.flatMap((turn, index) => {
    const { startMs, replyMs, calls } = turn;
    const reply: Row = {
      label: `${run.agent === '' ? '' : `${run.agent}: `}model`,
      href: parts.turnId(run, index),
      kind: 'model',
      depth,
      startMs,
      durationMs:
        replyMs === undefined ? (run.reason === undefined ? undefined : run.endMs - startMs) : replyMs - startMs,
      failure: replyMs === undefined && run.reason === 'error' ? 'failed' : undefined,
    };
    return [...(turn.turn === 0 ? [] : [reply]), ...calls.flatMap((call) => callRows(call, parts, depth))];
  });
}

function callRows(call: CallView, parts: PageParts, depth: number): readonly Row[] {
  const { name, startMs, durationMs } = call;
  if (startMs === undefined) return [];
  const failure = failureOf(call);
  const href = parts.callId(call);
  return [
    { label: name, href, kind: 'call', depth, startMs, durationMs, failure },
    ...call.runs.flatMap((run) => rowsOf(run, parts, depth + 1)),
  ];
}

function tickText(ms: number): string {
  if (ms === 0) return '0';
  if (ms >= 60_000) return durationText(ms).replace(/ 0 (?:s|min)$/, '');
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

/** A round step of 1, 2 or 5 of some unit, so that there are three to seven of them. */
function tickStep(spanMs: number): number {
  const least = spanMs / 7;
  for (const unit of [1, 10, 100, 1000, 10_000])
    for (const factor of [1, 2, 5]) if (unit * factor >= least) return unit * factor;
  for (const minutes of [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440])
    if (minutes * 60_000 >= least) return minutes * 60_000;
  return least;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(3))}%`;
}
