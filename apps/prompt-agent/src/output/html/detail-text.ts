import { sliceHead } from '@kernel/internal';
import { indentJson, parseJsonMembers } from '../../questions/json-text.ts';
import { type CommandSetting, NOT_ISOLATED, showCall } from '../../questions/show-call.ts';
import type { CallView } from '../../sessions/transcript.ts';
import { countText } from '../quantities.ts';
import { exactText, html, type Markup, NOTHING } from './markup.ts';
import type { PageParts } from './page-parts.ts';

const MAX_SHOWN = 20_000;

const MAX_LINE = 90;

/** A line that is not longer has no part that could be taken for the next line, however narrow the page is. */
const MAX_ROW = 40;

export function argumentsText(call: CallView, commands: CommandSetting | undefined, parts: PageParts): Markup {
  const { name, arguments: json, argumentsLength } = call;
  if (argumentsLength > json.length || parseJsonMembers(json) === undefined)
    return detailText('Arguments', json, argumentsLength, parts);
  const text = showCall(name, json, commands).slice(1).join('\n');
  return detailText('Arguments', text, text.length, parts, NOT_ISOLATED);
}

/**
 * A block of text that scrolls by itself: JSON indented, a diff coloured, and what is too long cut, with the length of the whole. A line that is `warning`
 * stands out.
 */
export function detailText(label: string, text: string, length: number, parts: PageParts, warning?: string): Markup {
  const shown = sliceHead(text, parts.take(Math.min(text.length, MAX_SHOWN)));
  const isCut = length > shown.length;
  const note = isCut
    ? html`<p class="cut">Cut: the first ${countText(shown.length)} of ${countText(length)} characters are shown.</p>`
    : NOTHING;
  if (text.trim() === '')
    return html`<div class="detail">
      <span class="label">${label}</span>
      <p class="none">empty</p>
    </div>`;
  const isChange = isDiff(shown);
  const lines = (isChange || isCut ? shown : indented(shown)).replaceAll('\r\n', '\n').split('\n').map(exactText);
  const body = lines.map((line, index) => [
    index === 0 ? '' : '\n',
    isChange ? diffLine(line) : markLine(line, warning),
  ]);
  return block(label, html`${body}`, note);
}

function block(label: string, body: Markup, note: Markup): Markup {
  return html`<div class="detail">
    <span class="label">${label}</span>
    <pre tabindex="0" role="region" aria-label="${label}">${body}</pre>
    ${note}
  </div>`;
}

function indented(text: string): string {
  return /^\s*[[{]/.test(text) && text.length > MAX_LINE ? indentJson(text) : text;
}

/** Whether a text is a unified diff: it has a hunk. */
function isDiff(text: string): boolean {
  return /^@@ /m.test(text) || (/^--- /m.test(text) && /^\+\+\+ /m.test(text));
}

function diffLine(line: string): Markup {
  if (line.startsWith('+++') || line.startsWith('---')) return html`<b>${line}</b>`;
  if (line.startsWith('@@')) return html`<span class="hunk">${line}</span>`;
  if (line.startsWith('+')) return html`<ins>${line}</ins>`;
  if (line.startsWith('-')) return html`<del>${line}</del>`;
  return plain(line);
}

function markLine(line: string, warning: string | undefined): Markup {
  return line === warning ? html`<b class="warning">${line}</b>` : plain(line);
}

function plain(line: string): Markup {
  return line.length > MAX_ROW ? html`<span>${line}</span>` : html`${line}`;
}
