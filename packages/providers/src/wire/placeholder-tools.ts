import { type Message, type Tool, toolCallsOf } from '@kernel/protocol';

/** The tools that a history's calls name, described just enough for wires that refuse calls without tools; nothing without calls. @internal */
export function historyTools(messages: readonly Message[]): readonly Tool[] | undefined {
  const names = new Set(messages.flatMap((message) => toolCallsOf(message).map((call) => call.name)));
  if (names.size === 0) return undefined;
  const parameters = { type: 'object', properties: {} };
  return [...names].map((name) => ({ name, description: 'Not on offer any more.', parameters }));
}
