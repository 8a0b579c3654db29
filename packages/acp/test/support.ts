import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acpAgent, type AcpAgentOptions } from '@kernel/acp';
import { run } from '@kernel/agent';
import {
  type AgentEvent,
  type Approve,
  type Message,
  type RunEnd,
  type ToolCall,
  type ToolResult,
  textOf,
} from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { commandTools, createWorkspace } from '@kernel/toolbox';
import type { Workspace } from '@kernel/toolbox/workspace';
import { createRegistry } from '@kernel/tools';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { bindAgent } from '../src/bind-agent.ts';
import type { AgentProcess } from '../src/agent/agent-process.ts';
import { checkOptions } from '../src/check-options.ts';
import { flagsOf, serveSteps, type Step } from './fixtures/scripted-steps.ts';

export const AGENT = fileURLToPath(new URL('fixtures/scripted-agent.ts', import.meta.url));
export const RAW_AGENT = fileURLToPath(new URL('fixtures/raw-agent.ts', import.meta.url));

const CACHE = new URL('../../../node_modules/.cache/compiled', import.meta.url);

/** Arguments for Node to start an agent with: the variable that names the cache of compiled code is none that an agent gets. */
export const NODE_ARGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  `--import=data:text/javascript,import{enableCompileCache}from"node:module";enableCompileCache(${JSON.stringify(fileURLToPath(CACHE))})`,
];

/** A project on disk, all of which may be written. */
export async function project(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Workspace> {
  const state = { folder: temporaryFolder('acp-state') };
  return createWorkspace({ root: temporaryFolder('acp-project', files), write: ['**'], state });
}

/** Tools that run commands in a copy. */
export const commands = async (folder: string) => {
  const workspace = await createWorkspace({ root: folder, write: ['**'] });
  const { tools, close } = commandTools({ workspace, isolation: 'none' });
  return { tools: createRegistry(tools), close };
};

type AgentOptions = Partial<Omit<AcpAgentOptions, 'args'>> & {
  readonly workspace: Workspace;
  readonly flags?: readonly string[];
};

/** The scripted agent as a tool, in a process of its own. */
export function inOwnProcess({ flags = [], ...options }: AgentOptions) {
  const command = { command: process.execPath, args: [...NODE_ARGS, AGENT, ...flags] };
  return acpAgent({ name: 'helper', ...command, ...options });
}

/** The scripted agent as a tool, in this process: for all that does not depend on the process. */
export function scripted({ flags = [], ...options }: Omit<AgentOptions, 'command'>) {
  const checked = checkOptions({ name: 'helper', command: 'in-this-process', ...options });
  return bindAgent(checked, () => Promise.resolve(startHere(flagsOf(flags))));
}

let running = 0;

/** How many agents run in this process now. */
export function runningAgents(): number {
  return running;
}

function startHere(flags: ReadonlyMap<string, string>): AgentProcess {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const fromAgent = new TransformStream<Uint8Array, Uint8Array>();
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let hasEnded = false;
  running += 1;
  const close = async (): Promise<void> => {
    if (!hasEnded) running -= 1;
    hasEnded = true;
    resolve('The agent ended.');
    await ended;
  };
  if (!flags.has('mute'))
    void serveSteps({
      input: toAgent.readable,
      output: fromAgent.writable,
      flags,
      process: undefined,
      hasEnded: () => hasEnded,
    }).then(close);
  return { streams: [toAgent.writable, fromAgent.readable], ended, close };
}

/** What became of a run whose model gave an agent one task. */
export interface Outcome {
  readonly events: readonly AgentEvent[];
  /** The result of the call of the agent. */
  readonly result: ToolResult | undefined;
  /** The text that the model read. */
  readonly text: string;
  readonly end: RunEnd;
  /** The events of the agent itself. */
  readonly inner: readonly AgentEvent[];
}

interface Way {
  readonly approve?: Approve;
  readonly signal?: AbortSignal;
  readonly messages?: readonly Message[];
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Has a model give an agent a task, and reads the run to its end. */
export async function give(
  binding: ReturnType<typeof acpAgent>,
  steps: readonly Step[],
  { approve, signal, messages = [{ role: 'user', content: 'Go.' }], onEvent }: Way = {},
): Promise<Outcome> {
  const provider = scriptedProvider([
    ...(messages.length === 1
      ? [{ calls: [{ name: binding.tool.name, arguments: JSON.stringify({ task: JSON.stringify(steps) }) }] }]
      : []),
    { text: 'done' },
  ]);
  const events: AgentEvent[] = [];
  const tools = createRegistry([binding]);
  for await (const event of run({ provider, model: 'm', messages, tools, approve, signal })) {
    events.push(event);
    onEvent?.(event);
  }
  const end = events.findLast((event) => event.type === 'run-end');
  if (end === undefined) throw new Error('The run has no end.');
  const result = events.findLast((event) => event.type === 'tool-end')?.result;
  const text = end.messages.findLast((message) => message.role === 'tool');
  const inner = events.flatMap((event) => (event.type === 'sub-agent-event' ? [event.event] : []));
  return { events, result, text: text === undefined ? '' : textOf(text), end, inner };
}

/** Allows what is asked about the agent itself, and decides on what the agent asks for. */
export function deciding(decide: (call: ToolCall) => ReturnType<Approve>): { approve: Approve; asked: ToolCall[] } {
  const asked: ToolCall[] = [];
  return {
    asked,
    approve: ({ call, path }) => {
      if (path.length === 0) return { decision: 'allow' };
      asked.push(call);
      return decide(call);
    },
  };
}

export const allowAll = () => deciding(() => ({ decision: 'allow' }));

export function inputOf(call: ToolCall | undefined): Record<string, unknown> {
  return JSON.parse(call?.arguments ?? '{}') as Record<string, unknown>;
}

/** The file of a project. */
export function fileOf({ folder = '' }: Workspace, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

/** The copies of this process that are on disk now. */
export function copies(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`kernel-agent-${process.pid}-`));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A request for permission as agents make it. */
export function permission(
  toolCall: Readonly<Record<string, unknown>>,
  kinds = ['allow_always', 'allow_once', 'reject_once'],
) {
  return {
    request: 'session/request_permission',
    params: {
      toolCall: { toolCallId: 'p', ...toolCall },
      options: kinds.map((kind) => ({ optionId: `o-${kind}`, name: kind, kind })),
    },
  };
}
