import { sliceHead, visible } from '@kernel/internal';
import type { AgentEvent } from '@kernel/protocol';
import { showArguments } from '../../questions/show-call.ts';
import { programOf } from './program-lines.ts';
import { seconds, countText } from '../quantities.ts';
import { type Line, span } from './spans.ts';
import { cutLine, lineWidth } from './text-width.ts';

interface RunningCall {
  readonly name: string;
  readonly detail: string;
  readonly startedMs: number;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const MAX_LINES = 6;

/** Creates what goes on in a run, as lines that are replaced while it goes on. `nowMs` is a clock that only goes forward. */
export function createLiveStatus(model: string, nowMs: () => number) {
  const calls = new Map<string, RunningCall>();
  let waiting = `waiting for ${visible(model)}`;
  let sinceMs = nowMs();

  function wait(what: string): void {
    if (what !== waiting) sinceMs = nowMs();
    waiting = what;
  }

  function apply(event: AgentEvent, path: readonly string[]): void {
    if (event.type === 'tool-start') {
      const { id, name, arguments: detail } = event.call;
      const agents = path.filter((_, index) => index % 2 === 0);
      calls.set([...path, id].join('\n'), {
        name: [...agents, name].map((each) => visible(each)).join(' › '),
        detail: inlineArguments(name, detail),
        startedMs: nowMs(),
      });
    } else if (event.type === 'tool-end') {
      calls.delete([...path, event.call.id].join('\n'));
      sinceMs = nowMs();
    } else if (event.type === 'sub-agent-event') apply(event.event, event.path);
    else if (path.length === 0) applyReply(event);
  }

  function applyReply(event: AgentEvent): void {
    if (event.type === 'turn-start' || event.type === 'reply-withdrawn') wait(`waiting for ${visible(model)}`);
    else if (event.type === 'reasoning-delta') wait(`${visible(model)} is thinking`);
    else if (event.type === 'text-delta') wait(`${visible(model)} is writing`);
    else if (event.type === 'tool-call-delta' && event.name !== undefined)
      wait(`${visible(model)} is calling ${visible(event.name)}`);
  }

  return {
    event: (event: AgentEvent): void => apply(event, []),
    /** Returns the lines: one for each call that runs, otherwise one for what is waited for. `tail` is the text that is not shown yet. */
    lines(tail: string, width: number): readonly Line[] {
      const now = nowMs();
      const frame = span(`${FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? ''} `, 'cyan');
      const running = [...calls.values()];
      if (running.length === 0) {
        if (tail.trim() !== '') return [cutLine([frame, span(visible(lastPart(tail, width)), 'dim')], width - 1)];
        return [cutLine([frame, span(waiting), span(` ${seconds(now - sinceMs)}`, 'dim')], width - 1)];
      }
      const shown = running
        .slice(0, MAX_LINES)
        .map(({ name, detail, startedMs }) => callLine([frame], name, detail, seconds(now - startedMs), width));
      const left = running.length - shown.length;
      return left === 0 ? shown : [...shown, [span(`  and ${left} more`, 'dim')]];
    },
  };
}

/** A line about a call that fits the width: its arguments are what is cut. */
export function callLine(mark: Line, name: string, detail: string, after: string, width: number): Line {
  const head: Line = [...mark, span(name, 'bold')];
  const tail: Line = after === '' ? [] : [span(` ${after}`, 'dim')];
  const room = width - 2 - lineWidth(head) - lineWidth(tail);
  const middle = room > 4 && detail !== '' ? cutLine([span(` ${detail}`)], room) : [];
  return cutLine([...head, ...middle, ...tail], width - 1);
}

/** Arguments on one line, control and invisible characters marked; empty for none. */
export function inlineArguments(name: string, json: string): string {
  // A program is shown whole before it runs.
  const program = programOf({ name, arguments: json })?.trim();
  if (program !== undefined) return lineCount(program.split('\n').length);
  const text = showArguments(name, json).replaceAll(/\s+/g, ' ').trim();
  return text === '{}' ? '' : visible(sliceHead(text, 1000));
}

function lineCount(count: number): string {
  return count === 1 ? '1 line' : `${countText(count)} lines`;
}

function lastPart(text: string, width: number): string {
  const room = Math.max(4, Math.floor(width / 2) - 3);
  const line = text.trimEnd();
  return line.length <= room ? line : `…${line.slice(1 - room)}`;
}
