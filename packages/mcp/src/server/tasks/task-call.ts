import { isObject, linkAbort } from '@kernel/internal';
import type { Tool, ToolResult } from '@kernel/protocol';
import type {
  CallToolRequestParams,
  CallToolResult,
  InputRequest,
  InputRequests,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { RunningTask } from './running-task.ts';
import type { ServerTasks } from './server-tasks.ts';
import { callerOf, capabilitiesOf, knowsTasks, missingCapability, missingTasks, toTask } from './task-requests.ts';
import { type AskClient, askWith, type ClientQuestions } from '../tools/ask-client.ts';
import { toMcpResult } from '../tools/to-mcp-result.ts';

/** What a call came to: a result, questions, or the first result of an async tool, whose outcome follows. */
export interface CallOutcome {
  readonly result: CallToolResult | InputRequiredResult;
  readonly tool: Tool | undefined;
  /** What an async tool said first. */
  readonly started?: ToolResult;
}

/** A call that may become a task. */
interface TaskCall {
  readonly signal: AbortSignal;
  readonly ask: AskClient;
  /** Takes a report of progress; false if it is for the request that is still open. */
  report(update: string): boolean;
  onComplete(result: ToolResult): void;
  /** Runs the call. Resolves to its outcome, or to a task if it takes longer than the server waits. */
  run(call: () => Promise<CallOutcome>): Promise<CallOutcome | TaskResult>;
}

/** The result of a call that has become a task. */
export interface TaskResult {
  readonly task: object;
}

/**
 * Returns what makes a task of a call; undefined for a client that does not know tasks. Throws a JSON-RPC error if the tool can only be called by one
 * that does.
 */
export function taskCallOf(
  tasks: ServerTasks,
  params: CallToolRequestParams,
  mcp: ServerContext,
  questions: ClientQuestions,
  project: (result: CallToolResult, tool: Tool | undefined) => CallToolResult,
): TaskCall | undefined {
  const { name, arguments: input = {} } = params;
  const isRequired = tasks.settings.required.has(name);
  const { envelope, signal: requestSignal } = mcp.mcpReq;
  if (!knowsTasks(envelope)) {
    if (isRequired) throw missingTasks(`"${name}"`);
    return undefined;
  }
  const controller = new AbortController();
  const unlink = linkAbort(requestSignal, controller);
  const late = Promise.withResolvers<ToolResult>();
  let task: RunningTask | undefined;
  /** Set while the task is being kept, so that a question waits for that. */
  let starting: Promise<void> | undefined;
  /** The client is asked by the result of the call: then it is no task. */
  let isAsking = false;

  const begin = async (): Promise<void> => {
    try {
      task = await tasks.start(callerOf(mcp), { name, arguments: input }, questions.answers());
    } catch (error) {
      if (isRequired) throw error;
      return; // no room: the call is answered when it has ended
    }
    // From here on it does not depend on the request.
    unlink();
    linkAbort(task.signal, controller);
  };
  const follow = async (running: Promise<CallOutcome>, { complete, fail, report }: RunningTask): Promise<void> => {
    try {
      const { result, tool, started } = await running;
      if (started !== undefined) report(started.forLLM);
      if ('resultType' in result) return fail(new Error('the call asked the client by its result'));
      complete(project(started === undefined ? result : toMcpResult(await late.promise, tool), tool));
    } catch (error) {
      fail(error);
    }
  };

  return {
    signal: controller.signal,
    ask: askWith(async (requests: InputRequests) => {
      await starting;
      if (task !== undefined) {
        try {
          checkAbleToAnswer(requests, envelope);
        } catch (error) {
          task.fail(error);
          throw error;
        }
        return task.ask(requests);
      }
      try {
        return await questions.ask(requests);
      } catch (error) {
        isAsking = true;
        throw error;
      }
    }),
    report(update) {
      task?.report(update);
      return task !== undefined;
    },
    onComplete: late.resolve,
    async run(call) {
      if (isRequired) await begin();
      const running = call();
      running.catch(() => {}); // a task tells of it
      const first = isRequired ? undefined : await within(running, tasks.settings.afterMs);
      const isDone = first !== undefined && first.started === undefined;
      if (isDone || isAsking || requestSignal.aborted) return running;
      if (!isRequired) await (starting = begin());
      if (task === undefined) return running;
      if (requestSignal.aborted) task.cancel(); // nobody will learn its id
      void follow(running, task);
      return { task: { resultType: 'task', ...toTask(task.record(), tasks) } };
    },
  };
}

/** Resolves like `work`, or to undefined after `ms`. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: elapsed, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([work, elapsed]);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws the JSON-RPC error for a question that the client of this request has not declared to be able to answer. */
function checkAbleToAnswer(requests: InputRequests, envelope: unknown): void {
  const declared = capabilitiesOf(envelope) ?? {};
  for (const [name, request] of Object.entries(requests)) {
    const [capability, mode] = capabilityFor(request);
    const has = declared[capability];
    // A client that names no mode has forms.
    const isAble = isObject(has) && (mode === undefined || mode in has || (mode === 'form' && !('url' in has)));
    if (isAble) continue;
    const required = { [capability]: mode === undefined ? {} : { [mode]: {} } };
    throw missingCapability(required, `the question "${name}" is ${request.method}`);
  }
}

function capabilityFor({ method, params }: InputRequest): readonly [name: string, mode?: string] {
  switch (method) {
    case 'elicitation/create':
      return ['elicitation', params.mode ?? 'form'];
    case 'sampling/createMessage':
      return ['sampling'];
    case 'roots/list':
      return ['roots'];
    default:
      return [method];
  }
}
