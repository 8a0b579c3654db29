import { isObject } from '@kernel/internal';
import {
  checkChoice,
  checkFunctions,
  checkKeys,
  checkNumber,
  checkText,
  type DurableAgent,
  KernelError,
  optionKeys,
} from '@kernel/protocol';

/** What a worker does. */
export interface WorkerOptions {
  /** The agents that it runs, by name. Runs of other agents are left to other workers. */
  readonly agents: Readonly<Record<string, DurableAgent>>;
  /** How many runs it executes at once. Default 32. */
  readonly maxRuns?: number | undefined;
  /** How long a worker may be silent before the others take its runs over, in milliseconds. The same for all workers of a file. Default 10,000. */
  readonly leaseMs?: number | undefined;
  /** Receives errors that belong to no run, such as a file that cannot be read. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const KEYS = optionKeys<WorkerOptions>({ agents: true, maxRuns: true, leaseMs: true, onError: true });
const AGENT_KEYS = optionKeys<DurableAgent>({
  version: true,
  accepts: true,
  run: true,
  approve: true,
  approvalTimeoutMs: true,
  maxAttempts: true,
  maxResultBytes: true,
  onUnknown: true,
});

export function checkWorker(options: WorkerOptions): void {
  checkKeys('work', options, KEYS);
  checkNumber('work', 'maxRuns', options.maxRuns, 1);
  checkNumber('work', 'leaseMs', options.leaseMs, 100);
  checkFunctions('work', { onError: options.onError });
  const { agents }: { readonly agents: unknown } = options;
  if (!isObject(agents))
    throw new KernelError('CONFIG_INVALID', 'work() was called without agents.', {
      hint: 'Pass { agents: { support: { run } } }.',
    });
  for (const [name, agent] of Object.entries(options.agents)) checkAgent(name, agent);
}

function checkAgent(name: string, agent: DurableAgent): void {
  const owner = `work, agent "${name}"`;
  checkKeys(owner, agent, AGENT_KEYS);
  checkNumber(owner, 'maxAttempts', agent.maxAttempts, 3);
  checkNumber(owner, 'approvalTimeoutMs', agent.approvalTimeoutMs, 1);
  checkNumber(owner, 'maxResultBytes', agent.maxResultBytes, 1000);
  checkText(owner, 'version', agent.version);
  const { accepts }: { readonly accepts?: unknown } = agent;
  if (accepts !== undefined && !Array.isArray(accepts))
    throw new KernelError('CONFIG_INVALID', `${owner}: accepts must be an array of versions.`);
  for (const version of agent.accepts ?? []) checkText(owner, 'accepts', version);
  checkFunctions(owner, { approve: agent.approve });
  checkChoice(owner, 'onUnknown', agent.onUnknown, ['tell', 'ask']);
  if (typeof agent.run !== 'function')
    throw new KernelError('CONFIG_INVALID', `work(): the agent "${name}" has no run.`, {
      hint: 'Pass run: (context) => run({ provider, model, tools, ...context }).',
    });
}
