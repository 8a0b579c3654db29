import { visible } from '@kernel/internal';
import { openAgent } from '../agent/open-agent.ts';
import { errorNote, EXIT } from '../exit-code.ts';
import type { AskLine } from '../host.ts';
import type { Invocation } from '../invocation.ts';
import { encodeLine, type Line, span } from '../output/terminal/spans.ts';
import { cutLine, splitAt, textWidth } from '../output/terminal/text-width.ts';
import { ask } from '../questions/ask.ts';
import { mayHaveServers } from '../mcp-servers/server-files.ts';
import type { ChatContext } from './chat-context.ts';
import { completeServers } from './complete-servers.ts';
import { createComplete } from './complete.ts';
import { type ChatSessions, type Conversation, openConversation } from './conversation.ts';
import { type LineEditor, openLineEditor } from './line-editor.ts';
import { handleMessage, SLASH_NAMES } from './slash-commands.ts';

const TWICE_MS = 2000;

type Entered = { readonly text: string } | 'leave';

/**
 * Talks with a person at a terminal. What is typed while the model works steers the run; Ctrl-C stops the turn, twice leaves, as Ctrl-D does. Resolves to the
 * exit code.
 */
export async function chatOnTerminal(invocation: Invocation, sessions: ChatSessions): Promise<number> {
  const { output, host, signal } = invocation;
  const entered: Entered[] = [];
  let wake: (() => void) | undefined;
  let turn: AbortController | undefined;
  let isLeaving = false;
  let editor: LineEditor | undefined;
  const push = (next: Entered): void => {
    entered.push(next);
    wake?.();
  };
  const leave = (): void => {
    push('leave');
    turn?.abort(new Error('interrupted'));
  };

  const question: AskLine = (show, abort, draft) =>
    editor === undefined ? ask(host, show, abort, draft) : editor.question(show, abort, draft);
  const asking = { ...invocation, host: { ...host, question } };
  const agent = await openAgent(asking);
  let answer: ((typed: string) => Promise<readonly string[]>) | undefined;
  const answers: ChatContext['answers'] = { complete: (by) => (answer = by) };
  let conversation: Conversation | undefined;
  try {
    // Whether those of a project may be used is asked before anything is typed.
    if (mayHaveServers(host)) await agent.servers().catch((error: unknown) => output.alert(errorNote(error)));
    conversation = await openConversation(invocation, agent, sessions);
    const talk = conversation;
    const open = openLineEditor(host, {
      hasPaste: output.capabilities.isLive,
      complete: createComplete({
        commands: SLASH_NAMES,
        tools: () => agent.options.tools?.list().map(({ name }) => name) ?? [],
        workspace: agent.workspace,
        ...(mayHaveServers(host) && { servers: completeServers(agent.servers) }),
        answer: () => answer,
      }),
      events: {
        onMessage(text) {
          isLeaving = false;
          if (turn === undefined) push({ text });
          else if (text.trim() === '/exit') leave();
          else if (text.startsWith('/') && !text.startsWith('//')) {
            output.alert(`${visible(text)} is for after the turn; Ctrl-C stops it.`);
          } else if (text.trim() !== '' && !talk.steer(text.replace(/^\/\//, '/'))) push({ text });
        },
        onInterrupt() {
          if (isLeaving) leave();
          else if (turn === undefined && open.line() !== '') open.clear();
          else {
            isLeaving = true;
            setTimeout(() => (isLeaving = false), TWICE_MS).unref();
            if (turn === undefined) {
              output.alert('');
              output.alert('Ctrl-C again leaves, as Ctrl-D does.');
              open.prompt();
            } else turn.abort(new Error('stopped'));
          }
        },
        // What the shell writes stands below what is removed here.
        onStop: () => output.hold()(),
        onEnd: leave,
      },
    });
    editor = open;
    signal.addEventListener('abort', leave, { once: true });
    output.footer(() => footerLines(open.line(), talk.waiting().length, output.capabilities));
    const next = async (): Promise<Entered> => {
      for (;;) {
        const first = entered.shift();
        if (first !== undefined) return first;
        open.prompt();
        // oxlint-disable-next-line no-await-in-loop -- until something is entered
        await new Promise<void>((resolve) => (wake = resolve));
      }
    };
    for (;;) {
      // oxlint-disable no-await-in-loop -- one message after the other
      const what = await next();
      if (what === 'leave') break;
      if (what.text.trim() === '') continue;
      open.hide();
      turn = new AbortController();
      const both = AbortSignal.any([signal, turn.signal]);
      const result = await handleMessage(what.text, {
        invocation: asking,
        agent,
        conversation: talk,
        signal: both,
        answers,
      }).catch((error: unknown) => {
        output.finish();
        output.alert(errorNote(error));
      });
      turn = undefined;
      for (const text of talk.takeLate()) push({ text });
      output.alert('');
      if (result === 'leave') break;
      // oxlint-enable no-await-in-loop
    }
    return signal.aborted ? EXIT.interrupted : EXIT.answer;
  } finally {
    signal.removeEventListener('abort', leave);
    output.footer(undefined);
    editor?.close();
    await conversation?.close();
    await agent.close();
  }
}

/** What is typed while the model works, and how much waits for it. */
function footerLines(
  typed: string,
  waiting: number,
  capabilities: Invocation['output']['capabilities'],
): readonly string[] {
  if (typed === '' && waiting === 0) return [];
  const width = capabilities.columns();
  const note = waiting === 0 ? '' : `  ${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'}`;
  const room = width - 4 - note.length;
  const text = visible(typed.replaceAll('\n', '␤'));
  const line: Line = [span('› ', 'cyan'), span(endOf(text, room)), span(note, 'dim')];
  return [encodeLine(cutLine(line, width - 1), capabilities)];
}

/** The end of a text that fits: it is where the typing goes on. */
function endOf(text: string, width: number): string {
  let rest = text;
  while (textWidth(rest) > Math.max(4, width)) {
    const [head, tail] = splitAt(rest, textWidth(rest) - Math.max(4, width) + 1);
    if (head === '') break;
    rest = tail;
  }
  return rest;
}
