import { toolCallsOf } from '@kernel/protocol';
import type { Invocation } from '../invocation.ts';
import { isStreamed, type View, type ViewedTools } from './view.ts';
import { firstCodeBlock } from './first-code-block.ts';
import { jsonLinesView, jsonView } from './json-view.ts';
import { noteView } from './terminal/note-view.ts';

/** Creates the view that the flags and the terminal ask for. Resolves once what lays out Markdown is loaded, where it is used. */
export async function createView(invocation: Invocation, tools: ViewedTools): Promise<View> {
  const { flags, output } = invocation;
  if (flags['json-lines'] === true) return jsonLinesView(invocation, noteView(invocation, tools));
  if (flags.json === true) return jsonView(invocation, tools, noteView(invocation, tools));
  const isPart = flags.schema !== undefined || flags.extract === true;
  if (isPart) return answerView(invocation, noteView(invocation, tools));
  if (!output.capabilities.isRich) return textView(invocation, noteView(invocation, tools));
  const { terminalView } = await import('./terminal/terminal-view.ts');
  return terminalView(invocation, tools, noteView(invocation, tools, output.capabilities.isLive));
}

/** Creates the view for people and pipes: the answer on stdout, with `--stream` or on a terminal as it arrives, and the notes of `notes` on stderr. */
function textView(invocation: Pick<Invocation, 'flags' | 'output'>, notes: View): View {
  const { output } = invocation;
  const streams = isStreamed(invocation);
  return {
    event(event) {
      if (streams && event.type === 'text-delta') output.write(event.text);
      // What comes next, a call or another reply, begins on a line of its own.
      const isOver =
        event.type === 'message-end' ? toolCallsOf(event.message).length > 0 : event.type === 'reply-withdrawn';
      if (streams && isOver) output.finish();
      notes.event(event);
    },
    end(end, calls) {
      if (!streams && 'answer' in end) output.write(end.answer ?? '');
      notes.end(end, calls);
    },
  };
}

/** Creates the view of `--schema` and `--extract`: a part of the answer on stdout once it is whole, and the notes of `notes` on stderr. */
function answerView({ flags, output }: Pick<Invocation, 'flags' | 'output'>, notes: View): View {
  return {
    event: (event) => notes.event(event),
    end(end, calls) {
      const answer = 'answer' in end ? (end.answer ?? '') : '';
      const value: unknown = 'output' in end ? end.output : undefined;
      if (flags.schema !== undefined && 'output' in end) output.writeJson(value, 2);
      else if (flags.extract === true && answer !== '') {
        const code = firstCodeBlock(answer);
        if (code === undefined) output.note('note: the answer has no code block, so all of it is printed');
        output.write(code ?? answer);
      }
      notes.end(end, calls);
    },
  };
}
