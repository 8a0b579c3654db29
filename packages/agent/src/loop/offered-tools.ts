import { KernelError, type Tool, type ToolCall, type Toolset, type TurnContext } from '@kernel/protocol';
import { inAMoment } from './after-microtasks.ts';
import { needsApproval } from '../approval/approval.ts';
import type { RunOptions } from '../options.ts';

/** How long a toolset may take to settle what it offers in a turn. */
const BEGIN_TURN_MS = 30_000;

/**
 * Settles what the toolset offers in this turn (`beginTurn`) and returns its list: the same objects, the same array.
 *
 * Throws `TOOL_FAILED`, naming the member, for a toolset that throws or takes longer than 30 s; `signal.reason` on abort.
 */
export async function offeredTools(options: RunOptions, turn: number, signal: AbortSignal): Promise<readonly Tool[]> {
  const { tools, conversation } = options;
  if (tools === undefined) return [];
  if (tools.beginTurn !== undefined) await begin(tools, { turn, conversation, signal });
  try {
    return tools.list();
  } catch (error) {
    throw toolsetFailed('list', error);
  }
}

function begin(tools: Toolset, turn: TurnContext): Promise<void> {
  const { signal } = turn;
  return new Promise((resolve, reject) => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = (): void => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      leave();
      reject(signal.reason);
    };
    const fail = (error: unknown): void => {
      leave();
      reject(signal.aborted ? signal.reason : toolsetFailed('beginTurn', error));
    };
    const end = (): void => {
      leave();
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    begun(tools, turn).then(end, fail);
    // A toolset that is done by now costs neither a timer nor a listener.
    inAMoment(() => {
      if (isOver) return;
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      timer = setTimeout(() => fail(new Error(`it took longer than ${BEGIN_TURN_MS} ms`)), BEGIN_TURN_MS);
    });
  });
}

async function begun(tools: Toolset, turn: TurnContext): Promise<void> {
  await tools.beginTurn?.(turn);
}

function toolsetFailed(member: string, error: unknown): KernelError {
  const why = error instanceof Error ? error.message : String(error);
  return new KernelError('TOOL_FAILED', `${member}() of the toolset failed: ${why}.`, { cause: error });
}

/** What stands between the calls of a reply and their run, by call id. Both are empty without `approve`. */
export interface Screening {
  /** Must be asked about. */
  readonly ask: readonly string[];
  /** Name a tool that was not on offer, so that nobody could be asked: they never run. */
  readonly unoffered: readonly string[];
  /** Unlike any other of any process; with a call's id it makes the idempotency key. */
  readonly key: string;
}

/** Random numbers are dear: one serves all turns of a process. */
const PROCESS_KEY = crypto.randomUUID();
let screenings = 0;

/** Screens the calls of a turn against the tools that were offered in it. */
export function screen(options: RunOptions, calls: readonly ToolCall[], tools: readonly Tool[]): Screening {
  screenings += 1;
  const key = `${PROCESS_KEY}-${screenings}`;
  if (options.approve === undefined) return { ask: [], unoffered: [], key };
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  const ask: string[] = [];
  const unoffered: string[] = [];
  for (const call of calls) {
    const tool = offered.get(call.name);
    if (tool === undefined) unoffered.push(call.id);
    else if (needsApproval(tool)) ask.push(call.id);
  }
  return { ask, unoffered, key };
}
