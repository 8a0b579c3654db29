import { type Message, type Tool, toolResult, type Toolset } from '@kernel/protocol';
import { withAddedTools } from '../turn/added-tools.ts';
import { withToolHooks } from '../wrappers/tool-hooks.ts';

/** A toolset with hand-off tools. */
export interface HandOff {
  /** The toolset with the added tools. */
  readonly tools: Toolset;
  /** The name of the member to whom the conversation was handed over, if it was. */
  target(): string | undefined;
}

const PREFIX = 'hand_off_to_';

/** Adds a tool for each of some team members, by name, that ends the run and hands the conversation over. The first such call counts. */
export function withHandOffTools(
  inner: Toolset | undefined,
  members: ReadonlyMap<string, { readonly description: string }>,
): HandOff {
  let target: string | undefined;
  const handOffTools = new Map<string, Tool>();
  for (const [name, { description }] of members) handOffTools.set(`${PREFIX}${name}`, handOffTool(name, description));
  const { tools } = withAddedTools(inner, [...handOffTools.values()], async ({ name }) =>
    toolResult(`Handed over to ${name.slice(PREFIX.length)}.`),
  );
  const hooked = withToolHooks(tools, {
    afterTool: ({ name }) => {
      if (!handOffTools.has(name)) return undefined;
      target ??= name.slice(PREFIX.length);
      return { action: 'stop', answer: '' };
    },
  });
  return { tools: hooked, target: () => target };
}

/** Returns the name of the member to whom a history was handed over last, or undefined if it never was. */
export function handOffTarget(messages: readonly Message[]): string | undefined {
  const isHandOff = (message: Message): boolean =>
    message.role === 'tool' && message.name.startsWith(PREFIX) && message.isError !== true;
  const last = messages.findLastIndex(isHandOff);
  if (last === -1) return undefined;
  // Of several in one reply, the first counts.
  const start = messages.slice(0, last).findLastIndex((message) => message.role !== 'tool') + 1;
  const first = messages.slice(start).find(isHandOff);
  return first?.role === 'tool' ? first.name.slice(PREFIX.length) : undefined;
}

function handOffTool(name: string, description: string): Tool {
  return Object.freeze({
    name: `${PREFIX}${name}`,
    description: `Hands the conversation over to ${name}: ${description}`,
    parameters: Object.freeze({ type: 'object', properties: Object.freeze({}) }),
    effect: 'read',
  });
}
