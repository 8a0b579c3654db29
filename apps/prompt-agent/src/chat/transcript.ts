import { sliceHead, terminalText } from '@kernel/internal';
import { type Message, textOf, toolCallsOf } from '@kernel/protocol';

/** Returns a conversation as Markdown, control characters escaped; empty for none. Calls are named, their results left out. */
export function transcriptOf(messages: readonly Message[]): string {
  const parts = messages.flatMap((message) => {
    const text = terminalText(textOf(message)).trim();
    if (message.role === 'user') return [`## You\n\n${text}`];
    if (message.role !== 'assistant') return [];
    const calls = toolCallsOf(message).map(({ name, arguments: json }) => `- called ${code(`${name} ${json}`)}`);
    return [
      ['## Model', ...(text === '' ? [] : [text]), ...(calls.length === 0 ? [] : [calls.join('\n')])].join('\n\n'),
    ];
  });
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}

/** A code span: its fence is longer than any run of backticks in it. */
function code(text: string): string {
  const line = sliceHead(terminalText(text.replaceAll(/\s+/g, ' ')), 500);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}
