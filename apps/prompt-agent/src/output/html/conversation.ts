import { sliceHead } from '@kernel/internal';
import { type CommandSetting, showArguments } from '../../questions/show-call.ts';
import { endText, isAnswered } from '../../run-ends.ts';
import type { CallView, RunView, TurnView } from '../../sessions/transcript.ts';
import { countText, durationText } from '../quantities.ts';
import { argumentsText, detailText } from './detail-text.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { failureOf, type PageParts } from './page-parts.ts';
import { prose } from './prose.ts';

const MAX_REPLY = 50_000;
const MAX_BRIEF = 140;
const MAX_HEADING = 6;

export function turns(run: RunView, parts: PageParts, level: number, outer?: CommandSetting): Markup {
  const commands = run.commands ?? outer;
  return html`<ol class="turns">
      ${run.turns.map((turn, index) => turnMarkup(turn, parts.turnId(run, index), { parts, commands }, level))}
    </ol>
    ${endMarkup(run)}`;
}

interface Place {
  readonly parts: PageParts;
  readonly commands: CommandSetting | undefined;
}

function turnMarkup(turn: TurnView, id: string, place: Place, level: number): Markup {
  const { text, reasoning, notes, calls } = turn;
  const cut =
    text.length > MAX_REPLY ? html`<p class="cut">Cut: ${countText(text.length)} characters in all.</p>` : NOTHING;
  return html`<li class="turn" id="${id}">
    ${heading(level, html`Turn ${turn.turn === 0 ? '(goes on)' : turn.turn} <span class="muted">${factsOf(turn)}</span>`)}
    ${notes.map((note) => html`<p class="note"><span class="mark" aria-hidden="true">!</span> ${note}</p>`)}
    ${
      reasoning.trim() === ''
        ? NOTHING
        : html`<details class="reasoning">
            <summary>Reasoning</summary>
            <div class="prose">${prose(sliceHead(reasoning, MAX_REPLY))}</div>
          </details>`
    }
    ${text.trim() === '' ? NOTHING : html`<div class="prose reply">${prose(sliceHead(text, MAX_REPLY))}${cut}</div>`}
    ${calls.map((call) => callMarkup(call, place, level + 1))}
  </li>`;
}

function factsOf({ startMs, replyMs, usage }: TurnView): string {
  const time = replyMs === undefined ? 'no reply' : durationText(replyMs - startMs);
  if (usage === undefined) return time;
  return `${time} · ${countText(usage.inputTokens)} tokens in, ${countText(usage.outputTokens)} out`;
}

function callMarkup(call: CallView, { parts, commands }: Place, level: number): Markup {
  const { name, arguments: given, durationMs, result, resultLength, forUser, isApproved } = call;
  const failure = failureOf(call);
  const brief = sliceHead(showArguments(name, given).replaceAll(/\s+/g, ' '), MAX_BRIEF);
  const badge =
    failure === undefined ? NOTHING : html` <span class="badge"><span aria-hidden="true">✕ </span>${failure}</span>`;
  const approval = isApproved ? html` <span class="badge plain">asked</span>` : NOTHING;
  return html`<details class="call${failure === undefined ? '' : ' failed'}" id="${parts.callId(call)}">
    <summary>
      <span class="name">${sliceHead(name, 200)}</span> <code class="brief">${brief}</code>${approval}${badge}
      <span class="time">${durationMs === undefined ? '' : durationText(durationMs)}</span>
    </summary>
    <div class="body">
      ${argumentsText(call, commands, parts)}
      ${forUser === undefined ? NOTHING : detailText('Shown to the user', forUser, forUser.length, parts)}
      ${result === undefined ? NOTHING : detailText('Result', result, resultLength, parts)}
      ${call.runs.map((run) => html`<section class="agent" aria-label="Agent ${run.agent}">${heading(level, html`Agent <code>${run.agent}</code>`)}${turns(run, parts, level + 1, commands)}</section>`)}
    </div>
  </details>`;
}

function endMarkup({ reason, error }: RunView): Markup {
  if (isAnswered(reason)) return NOTHING;
  const why = error === undefined ? NOTHING : html`: ${error.message} ${error.hint}`;
  return html`<p class="end"><span aria-hidden="true">✕ </span><strong>${endText(reason)}</strong>${why}</p>`;
}

function heading(level: number, content: Markup): Markup {
  switch (Math.min(level, MAX_HEADING)) {
    case 3:
      return html`<h3>${content}</h3>`;
    case 4:
      return html`<h4>${content}</h4>`;
    case 5:
      return html`<h5>${content}</h5>`;
    default:
      return html`<h6>${content}</h6>`;
  }
}
