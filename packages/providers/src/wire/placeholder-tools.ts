import { type Message, type Tool, toolCallsOf } from '@kernel/protocol';

/** For wires that refuse calls without tools. */
export function placeholderTools(messages: readonly Message[]): readonly Tool[] | undefined {
  const names = new Set(messages.flatMap((message) => toolCallsOf(message).map((call) => call.name)));
  if (names.size === 0) return undefined;
  const parameters = { type: 'object', properties: {} };
  return [...names].map((name) => ({ name, description: 'No longer offered.', parameters }));
}
