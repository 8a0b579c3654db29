import { sliceHead } from '@kernel/internal';
import type { ToolContext, ToolResult } from '@kernel/protocol';

const MAX_TASK = 80;

/** Creates the record of agents. A run's agents are forgotten with the run. */
export function createSpawnedAgents() {
  const byRun = new WeakMap<AbortSignal, SpawnedAgent[]>();
  return {
    of: (context: ToolContext): readonly SpawnedAgent[] => byRun.get(runOf(context)) ?? [],
    start(context: ToolContext, task: string, stop: () => void): SpawnedAgent {
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

export type SpawnedAgent = ReturnType<typeof createAgent>;

function createAgent(id: string, task: string, stop: () => void) {
  const startedMs = performance.now();
  let endedMs: number | undefined;
  let state: 'running' | 'done' | 'failed' | 'stopped' = 'running';
  let calls = 0;
  let last = '';
  return {
    id,
    isRunning: (): boolean => state === 'running',
    stop,
    report(update: string): void {
      calls += 1;
      last = shorten(update);
    },
    end(result: ToolResult): void {
      endedMs = performance.now();
      if (result.outcome === 'cancelled') state = 'stopped';
      else state = result.isError === true ? 'failed' : 'done';
    },
    describe(): string {
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
