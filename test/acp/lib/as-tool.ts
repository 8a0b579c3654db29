import { acpAgent } from '@kernel/acp';
import { run } from '@kernel/agent';
import { type RunEnd, textOf, type ToolCall } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { createWorkspace } from '@kernel/toolbox';
import { createRegistry } from '@kernel/tools';
import { PROMPTS } from './scripted-model.ts';

/** An agent that is to be a tool, and the project that it works on. */
export interface ToolAgent {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly mode?: string | undefined;
  readonly folder: string;
  /** Where the journal of changes is. */
  readonly state: string;
  /** Default: the task. */
  readonly task?: string;
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface ToolOutcome {
  /** What the rules were asked about, but the call of the agent itself. */
  readonly asked: readonly ToolCall[];
  /** What the model read as the result. */
  readonly text: string;
  readonly end: RunEnd;
}

/** Has a model give the task to an agent, which is its only tool. `decide` answers for what the agent asks for and changes. */
export async function runAsTool(
  { folder, state, task = PROMPTS.task, signal, ...agent }: ToolAgent,
  decide: (call: ToolCall) => 'allow' | 'deny' = () => 'allow',
): Promise<ToolOutcome> {
  const workspace = await createWorkspace({ root: folder, write: ['**'], state: { folder: state } });
  const binding = acpAgent({ name: 'helper', workspace, ...agent });
  const asked: ToolCall[] = [];
  const events = run({
    provider: scriptedProvider([{ calls: [{ name: 'helper', arguments: { task } }] }, { text: 'Done.' }]),
    model: 'm',
    messages: [{ role: 'user', content: 'Have it done.' }],
    tools: createRegistry([binding]),
    signal,
    approve: ({ call, path }) => {
      if (path.length === 0) return { decision: 'allow' };
      asked.push(call);
      return decide(call) === 'allow' ? { decision: 'allow' } : { decision: 'deny', reason: 'not now' };
    },
  });
  let end: RunEnd | undefined;
  for await (const event of events) if (event.type === 'run-end') end = event;
  if (end === undefined) throw new Error('The run has no end.');
  const result = end.messages.findLast((message) => message.role === 'tool');
  return { asked, end, text: result === undefined ? '' : textOf(result) };
}
