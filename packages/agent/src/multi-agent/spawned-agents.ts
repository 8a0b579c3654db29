import { sliceHead } from '@kernel/internal';
import type { ToolContext, ToolResult } from '@kernel/protocol';

export interface SpawnedAgent {
  /** `agent-1`, `agent-2` and so on within a run. */
  readonly id: string;
  isRunning(): boolean;
  describe(): string;
  report(update: string): void;
  end(result: ToolResult): void;
  stop(): void;
}

export interface SpawnedAgents {
  /** The agents of the run that a call belongs to, in the order of their start. */
  of(context: ToolContext): readonly SpawnedAgent[];
  start(context: ToolContext, task: string, stop: () => void): SpawnedAgent;
}

const MAX_TASK = 80;

/** Creates the record of agents. A run's agents are forgotten with the run. */
export function createSpawnedAgents(): SpawnedAgents {
  const byRun = new WeakMap<AbortSignal, SpawnedAgent[]>();
  return {
    of: (context) => byRun.get(runOf(context)) ?? [],
    start(context, task, stop) {
      const agents = byRun.get(runOf(context)) ?? [];
      byRun.set(runOf(context), agents);
      const agent = createAgent(`agent-${agents.length + 1}`, task, stop);
      agents.push(agent);
      return agent;
    },
  };
}

/** The signal of a turn is that of its run: the same in every call. */
function runOf({ turn, signal }: ToolContext): AbortSignal {
  return turn?.signal ?? signal;
}

function createAgent(id: string, task: string, stop: () => void): SpawnedAgent {
  const startedMs = performance.now();
  let endedMs: number | undefined;
  let state: 'running' | 'done' | 'failed' | 'stopped' = 'running';
  let calls = 0;
  let last = '';
  return {
    id,
    isRunning: () => state === 'running',
    stop,
    report(update) {
      calls += 1;
      last = shorten(update);
    },
    end(result) {
      endedMs = performance.now();
      if (result.outcome === 'cancelled') state = 'stopped';
      else state = result.isError === true ? 'failed' : 'done';
    },
    describe() {
      const seconds = Math.round(((endedMs ?? performance.now()) - startedMs) / 1000);
      const made = calls === 0 ? 'no calls' : `${calls} ${calls === 1 ? 'call' : 'calls'}, last: ${last}`;
      return `${id}: ${state} for ${seconds} s, ${made}; task: ${JSON.stringify(shorten(task))}`;
    },
  };
}

/** The beginning of a text, on one line: nothing in it can look like the line of another agent. */
function shorten(text: string): string {
  const line = sliceHead(text, 4 * MAX_TASK)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > MAX_TASK ? `${characters.slice(0, MAX_TASK).join('')}…` : line;
}
