import type { Invocation } from '../invocation.ts';
import { answerView } from './answer-view.ts';
import { jsonLinesView } from './json/json-lines-view.ts';
import { jsonView } from './json/json-view.ts';
import { noteView } from './terminal/note-view.ts';
import { textView } from './text-view.ts';
import type { View, ViewedTools } from './view.ts';

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
