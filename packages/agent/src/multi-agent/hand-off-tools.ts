import { type Message, type Tool, toolResult, type Toolset } from '@kernel/protocol';
import { withToolHooks } from '../wrappers/tool-hooks.ts';
import { withAddedTools } from '../wrappers/with-added-tools.ts';

const PREFIX = 'hand_off_to_';

/** Adds a tool for each of some team members, by name, that ends the run and hands the conversation over. The first such call of a reply counts: see `handOffTarget`. */
export function withHandOffTools(
  inner: Toolset | undefined,
  members: ReadonlyMap<string, { readonly description: string }>,
): Toolset {
  const handOffTools = new Map<string, Tool>();
  for (const [name, { description }] of members) handOffTools.set(`${PREFIX}${name}`, handOffTool(name, description));
  const { tools } = withAddedTools(inner, [...handOffTools.values()], async ({ name }) =>
    toolResult(`Handed over to ${name.slice(PREFIX.length)}.`),
  );
  return withToolHooks(tools, {
    afterTool: ({ name }) => (handOffTools.has(name) ? { action: 'stop', answer: '' } : undefined),
  });
}

/** Returns the name of the member to whom a history was handed over last, or undefined if it never was. */
export function handOffTarget(messages: readonly Message[]): string | undefined {
  const last = messages.findLastIndex(isHandOff);
  if (last === -1) return undefined;
  const after = messages.findIndex((message, index) => index > last && message.role !== 'tool');
  return latestHandOff(after === -1 ? messages : messages.slice(0, after));
}

/** Returns the name of the member to whom the last calls of a history handed it over, or undefined. Of several in one reply, the first counts. */
export function latestHandOff(messages: readonly Message[]): string | undefined {
  const start = messages.findLastIndex((message) => message.role !== 'tool') + 1;
  const first = messages.slice(start).find(isHandOff);
  return first?.role === 'tool' ? first.name.slice(PREFIX.length) : undefined;
}

function isHandOff(message: Message): boolean {
  return message.role === 'tool' && message.name.startsWith(PREFIX) && message.isError !== true;
}

function handOffTool(name: string, description: string): Tool {
  return Object.freeze({
    name: `${PREFIX}${name}`,
    description: `Hands the conversation over to ${name}: ${description}`,
    parameters: Object.freeze({ type: 'object', properties: Object.freeze({}) }),
    effect: 'read',
  });
}
