import {
  checkProvider,
  addUsage,
  type AgentEvent,
  checkKeys,
  KernelError,
  type Message,
  optionKeys,
  type Steering,
  type StepExecutor,
  withPrefix,
} from '@kernel/protocol';
import { pendingCalls } from '../history/suspended-calls.ts';
import { INNER_RUN_KEYS, type InnerRunOptions } from '../option-keys.ts';
import type { RequiredContext, RunOptions } from '../options.ts';
import { stopOnReturn } from '../iteration/async-generator.ts';
import { run } from '../run.ts';
import { handOffTarget, latestHandOff, withHandOffTools } from './hand-off-tools.ts';

/** One member of a team. */
export interface TeamMember<Context = unknown> {
  /** When to hand over to this member, for the models of the others. */
  readonly description: string;
  /** How the member runs. */
  readonly run: InnerRunOptions<Context>;
}

/** A team of agents that hand a conversation over to each other. */
export interface TeamOptions<Context = unknown> {
  /** The members by name, in characters that tool names may have. */
  readonly members: ReadonlyMap<string, TeamMember<Context>>;
  /** The member that starts. */
  readonly first: string;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** Aborts the run of the team. */
  readonly signal?: AbortSignal | undefined;
  /** Passed to every handler in its context. */
  readonly conversation?: RunOptions['conversation'];
  /** What handlers get as `context`, as in `RunOptions`. */
  readonly context?: NoInfer<Context> | undefined;
  /** Identifies the run of the team across processes, as in `RunOptions`. */
  readonly runId?: string | undefined;
  /** Decides on calls of members without an `approve` of their own. */
  readonly approve?: RunOptions<Context>['approve'];
  /** How long a decision may take, for members without a timeout of their own. */
  readonly approvalTimeoutMs?: number | undefined;
  /** Adds messages for whichever member has the conversation. */
  readonly steering?: Steering | undefined;
  /** Executes the steps of all members, each under `<n>-<name>/`, where `n` counts from 1. */
  readonly steps?: StepExecutor | undefined;
  /** How often the conversation may be handed over. Default 8. */
  readonly maxHandOffs?: number | undefined;
}

const TEAM_KEYS = optionKeys<TeamOptions>({
  members: true,
  first: true,
  messages: true,
  signal: true,
  conversation: true,
  context: true,
  runId: true,
  approve: true,
  approvalTimeoutMs: true,
  steering: true,
  steps: true,
  maxHandOffs: true,
});
const MEMBER_KEYS = optionKeys<TeamMember>({ description: true, run: true });

/**
 * Runs a team. Each member is offered a tool `hand_off_to_<name>` for each other member; calling it ends the member's run, and the other continues
 * with the same history, under its own system prompt and with its own tools.
 *
 * If the messages end with pending calls, the member that made them continues, whoever is `first`.
 *
 * The events are those of the runs, with a single `run-end`, whose turns and usage are sums. Throws `CONFIG_INVALID` if `first` is not a
 * member.
 */
export function runTeam<Context = unknown>(
  options: TeamOptions<Context> & RequiredContext<Context>,
): AsyncGenerator<AgentEvent, void>;
export function runTeam(options: TeamOptions): AsyncGenerator<AgentEvent, void> {
  checkKeys('runTeam', options, TEAM_KEYS);
  if (typeof options.members?.entries !== 'function')
    throw new KernelError('CONFIG_INVALID', 'runTeam() was called without a Map of members.', {
      hint: 'Pass new Map([["triage", { description, run: { provider, model } }]]).',
    });
  for (const [name, member] of options.members) {
    checkKeys(`runTeam, member "${name}"`, member, MEMBER_KEYS);
    checkKeys(`runTeam, member "${name}"`, member.run, INNER_RUN_KEYS, 'run.');
    checkProvider(`runTeam, member "${name}"`, member.run.provider);
    if (member.run.steps !== undefined)
      throw new KernelError('CONFIG_INVALID', `runTeam, member "${name}": run.steps belongs to the team.`, {
        hint: 'Pass it to runTeam: each member gets a part of its ids.',
      });
  }
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  return stopOnReturn(runMembers({ ...options, signal }), () => controller.abort());
}

async function* runMembers(options: TeamOptions): AsyncGenerator<AgentEvent, void> {
  const { members, maxHandOffs = 8, signal, conversation, context, runId, steps, steering } = options;
  let name = waitingMember(options) ?? options.first;
  let messages = options.messages;
  let turns = 0;
  let usage = { inputTokens: 0, outputTokens: 0 };
  for (let handOffs = 0; ; handOffs += 1) {
    const member = members.get(name);
    if (member === undefined)
      throw new KernelError('CONFIG_INVALID', `The team has no member "${name}".`, {
        hint: `Its members are ${[...members.keys()].join(', ')}.`,
      });
    const others = handOffs < maxHandOffs ? [...members].filter(([other]) => other !== name) : [];
    const tools = withHandOffTools(member.run.tools, new Map(others));
    for await (const event of run({
      ...member.run,
      tools,
      messages,
      signal,
      conversation,
      context,
      runId,
      steering: member.run.steering ?? steering,
      approve: member.run.approve ?? options.approve,
      approvalTimeoutMs: member.run.approvalTimeoutMs ?? options.approvalTimeoutMs,
      steps: steps && withPrefix(steps, `${handOffs + 1}-${name}/`),
    })) {
      if (event.type !== 'run-end') {
        yield event;
        continue;
      }
      turns += event.turns;
      usage = addUsage(usage, event.usage);
      ({ messages } = event);
      const next = latestHandOff(messages);
      if (event.reason !== 'handled' || next === undefined) {
        yield { ...event, turns, usage };
        return;
      }
      name = next;
    }
  }
}

/** The member that made the calls which wait at the end of the messages, if it got the conversation from another one. */
function waitingMember({ members, messages }: TeamOptions): string | undefined {
  if (pendingCalls(messages).length === 0) return undefined;
  const before = messages.slice(
    0,
    messages.findLastIndex((message) => message.role === 'assistant'),
  );
  const name = handOffTarget(before);
  return name !== undefined && members.has(name) ? name : undefined;
}
