import type { LogEvent } from '@kernel/durable';
import { visible } from '@kernel/internal';
import { oneLine } from '../output/escape.ts';
import { durationText } from '../output/quantities.ts';
import { type EventCall, type EventData, toSessionEvent } from '../sessions/session-event.ts';
import { endText } from '../run-ends.ts';

const MAX_TEXT = 200;
/** How much of all that an event says is shown, in characters: one line, whatever is in its fields. */
const MAX_DETAIL = 4000;

/** An event of a run as a line for people: its position, its type, what it says, and the agent within calls that it belongs to. */
export function eventLine({ seq, step, event }: LogEvent): string {
  // A step of an agent within a call has the step of the call before its own: tool:c1/model:1.
  const within = step.includes('/') ? ` [in ${oneLine(step.slice(0, step.lastIndexOf('/')), 80)}]` : '';
  const type = oneLine(event.type, 30);
  const detail = oneLine(detailOf(event), MAX_DETAIL);
  return visible(`${String(seq).padStart(4)}  ${type.padEnd(16)}  ${detail}${within}`.trimEnd());
}

/** What an event says; empty for one that says no more than its type, or that is not what its type promises. */
function detailOf(event: LogEvent['event']): string {
  try {
    const data = toSessionEvent(event, 0)?.data;
    return data === undefined ? '' : textOfData(data);
  } catch {
    return '';
  }
}

function textOfData(data: EventData): string {
  switch (data.type) {
    case 'run-start':
      return data.prompts.map(short).join(' ');
    case 'turn-start':
      return `${data.turn} with ${data.tools} ${data.tools === 1 ? 'tool' : 'tools'}`;
    case 'message-end':
      return [short(data.text), ...data.calls.map(callText)].filter((text) => text !== '').join('; ');
    case 'tool-start':
      return callText(data.call);
    case 'tool-end': {
      const outcome = data.isError === true ? (data.outcome ?? 'failed') : 'ok';
      return `${oneLine(data.callId, 64)} ${durationText(data.durationMs)} ${outcome}: ${short(data.text)}`;
    }
    case 'tool-complete':
      return `${oneLine(data.callId, 64)} ${data.isError === true ? 'failed' : 'ok'}: ${short(data.text)}`;
    case 'approval-request':
      return `${oneLine(data.name, 64)} ${oneLine(data.callId, 64)}`;
    case 'server-tool':
      return `${oneLine(data.name, 64)} ${data.isError ? 'failed' : 'ok'}`;
    case 'reply-withdrawn':
      return short(data.message);
    case 'output-rejected':
      return data.issues.map(short).join('; ');
    case 'steer':
      return data.prompts.map(short).join('; ');
    case 'run-end':
      return data.error === undefined ? endText(data.reason) : `${endText(data.reason)}: ${short(data.error.message)}`;
  }
}

function callText({ id, name, arguments: text }: EventCall): string {
  return `${oneLine(name, 64)} ${short(text)} (${oneLine(id, 64)})`;
}

function short(text: string): string {
  return oneLine(text, MAX_TEXT);
}
