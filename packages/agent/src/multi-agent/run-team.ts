import {
  addUsage,
  type AgentEvent,
  KernelError,
  type Message,
  toolResult,
  type Tool,
  type Toolset,
} from '@kernel/protocol';
import type { RunOptions } from '../options.ts';
import { run } from '../run.ts';
import { withHooks } from '../wrappers/with-hooks.ts';

/** One member of a team: how it runs, and what it is for. */
export interface TeamMember {
  /** For the others' models: when to hand over to this one. */
  readonly description: string;
  readonly run: Omit<RunOptions, 'messages' | 'signal' | 'conversation'>;
}

/** A team of agents that hand a conversation over to each other. */
export interface TeamOptions {
  /** By name; names are tool-name characters. */
  readonly members: ReadonlyMap<string, TeamMember>;
  /** Who begins. */
  readonly first: string;
  readonly messages: readonly Message[];
  readonly signal?: AbortSignal | undefined;
  readonly conversation?: RunOptions['conversation'];
  /** How often the conversation may change hands. Default 8. */
  readonly maxHandOffs?: number | undefined;
}

const PREFIX = 'hand_off_to_';

/**
 * Runs a team: each member is offered a tool for each other one, `hand_off_to_<name>`. A call of it ends the member's run; the other
 * goes on with the same history, under its own system prompt and tools.
 *
 * Events are those of the runs, with one `run-end` for all of them, whose turns and usage are summed.
 */
export async function* runTeam(options: TeamOptions): AsyncGenerator<AgentEvent, void> {
  const { members, maxHandOffs = 8, signal, conversation } = options;
  let name = options.first;
  let messages = options.messages;
  let turns = 0;
  let usage = { inputTokens: 0, outputTokens: 0 };
  for (let handOffs = 0; ; handOffs += 1) {
    const member = members.get(name);
    if (member === undefined)
      throw new KernelError('CONFIG_INVALID', `The team has no "${name}".`, {
        hint: `It has ${[...members.keys()].join(', ')}.`,
      });
    const desk = withHandOffs(member.run.tools, members, name, handOffs < maxHandOffs);
    for await (const event of run({ ...member.run, tools: desk.tools, messages, signal, conversation })) {
      if (event.type !== 'run-end') {
        yield event;
        continue;
      }
      turns += event.turns;
      usage = addUsage(usage, event.usage);
      ({ messages } = event);
      const next = desk.taken();
      if (event.reason !== 'handled' || next === undefined) {
        yield { ...event, turns, usage };
        return;
      }
      name = next;
    }
  }
}

/** A member's tools and those for handing over; `taken` is the name that was called, if one was. */
function withHandOffs(
  inner: Toolset | undefined,
  members: ReadonlyMap<string, TeamMember>,
  self: string,
  isAllowed: boolean,
): { readonly tools: Toolset; taken(): string | undefined } {
  let taken: string | undefined;
  const doors = new Map<string, Tool>();
  for (const [name, { description }] of isAllowed ? members : [])
    if (name !== self) doors.set(`${PREFIX}${name}`, doorTo(name, description));
  let of: readonly Tool[] | undefined;
  let list: readonly Tool[] = [];
  const tools: Toolset = {
    ...inner,
    list() {
      const own = inner?.list() ?? [];
      if (of !== own || list.length === 0) list = Object.freeze([...own, ...doors.values()]);
      of = own;
      return list;
    },
    call(call, context) {
      if (doors.has(call.name)) return Promise.resolve(toolResult(`Handed over to ${call.name.slice(PREFIX.length)}.`));
      if (inner !== undefined) return inner.call(call, context);
      return Promise.resolve({
        forLLM: `TOOL_NOT_FOUND: no tool "${call.name}".`,
        isError: true,
        code: 'TOOL_NOT_FOUND',
      });
    },
  };
  const hooked = withHooks(tools, {
    afterTool: ({ name }) => {
      if (!doors.has(name)) return undefined;
      taken ??= name.slice(PREFIX.length);
      return { action: 'stop', answer: '' };
    },
  });
  return { tools: hooked, taken: () => taken };
}

function doorTo(name: string, description: string): Tool {
  return Object.freeze({
    name: `${PREFIX}${name}`,
    description: `Hands the conversation over to ${name}: ${description}`,
    parameters: Object.freeze({ type: 'object', properties: Object.freeze({}) }),
    effect: 'read',
  });
}
