import { agentAsTool } from '@kernel/agent';
import { createAsyncStorage, untilAborted } from '@kernel/internal';
import {
  type CallContext,
  errorResult,
  type JsonValue,
  type MediaPart,
  type PreparedCall,
  type RunningCall,
  type ToolResult,
  type Toolset,
  type ToolContext,
  wrapCalls,
} from '@kernel/protocol';
import type { CheckedOptions } from './check-options.ts';
import { toProgramResult } from './program/call-results.ts';
import { type CallableTools, checkProgram } from './program/check-program.ts';
import { createProgramProvider, type ProgramEnd, readProgramEnd } from './program/program-provider.ts';
import { type ReadCode, refused } from './program/read-code.ts';
import type { StoredValues } from './stored-values.ts';

const programs = createAsyncStorage<object>();

/** Runs a program under an identity, by which an approval can tell which program makes a call. */
function runAsProgram<T>(work: () => T): T {
  return programs.run({}, work);
}

/**
 * The program that is running: the same object for all of its calls, and another for each program. Undefined outside of
 * programs.
 */
export function currentProgram(): object | undefined {
  return programs.getStore();
}

/** How deep programs and agents may be in each other. */
const MAX_DEPTH = 8;

/**
 * Returns what runs a program: as an agent whose model is the program, so that its calls are decided on, limited, recorded and reported as those of any agent
 * within a call. Never rejects.
 */
export function createRunCode(tools: Toolset, options: CheckedOptions) {
  const { name, sandbox, limits, runLimits } = options;
  return async (
    { code, source, tree, returnsLast }: ReadCode,
    { tools: callable, sandboxTools }: CallableTools,
    context: CallContext & RunningCall & Pick<ToolContext, 'callId'>,
    store: StoredValues,
  ): Promise<ToolResult> => {
    const check = () => checkProgram(tree, { tools: callable, sandboxTools });
    const stored = store.values();
    const provider = createProgramProvider({ source, sandbox, tools: sandboxTools, stored, limits, check });
    try {
      const inner = toolsOfProgram(tools, callable, context);
      const agent = agentAsTool({
        name,
        description: 'A program.',
        run: { provider, model: 'program', tools: inner, limits: { turns: 0, repeats: false, ...runLimits } },
        maxDepth: MAX_DEPTH,
      });
      const toolContext: ToolContext = { ...context, toolName: name };
      const result = await runAsProgram(() => agent.handler({ task: code }, toolContext));
      const problems = provider.problems();
      if (problems.length > 0) return refused(problems);
      const end = result.isError === true ? undefined : readProgramEnd(result.forLLM);
      if (end === undefined) return result;
      await store.save(end);
      return toResult(end, returnsLast);
    } finally {
      provider.close();
    }
  };
}

/** The tools of one program: those of its turn, with results as programs get them. Its own turns are none of the toolset. */
function toolsOfProgram(tools: Toolset, list: CallableTools['tools'], { turn }: CallContext): Toolset {
  const asked: Toolset = {
    list: () => list,
    prepare: (call, context) => tools.prepare(call, { ...context, turn }),
  };
  return wrapCalls(asked, (prepared) => ({
    ...prepared,
    run: async (running) => toProgramResult(await runToEnd(prepared, running)),
  }));
}

/** Runs a call. One that goes on in the background has ended when its late result is there: a program has no later turn that could read it. */
async function runToEnd(prepared: PreparedCall, running: RunningCall): Promise<ToolResult> {
  let onComplete: RunningCall['onComplete'];
  const late = new Promise<ToolResult>((resolve) => (onComplete = resolve));
  const result = await prepared.run({ ...running, onComplete });
  return result.async === true ? untilAborted(late, running.signal) : result;
}

/** A program that writes what counts returns its last expression by chance. */
function toResult({ output, error, ...end }: ProgramEnd, returnsLast: boolean): ToolResult {
  const texts = output.flatMap((item) => ('text' in item ? [item.text] : []));
  const media = output.flatMap((item): MediaPart[] =>
    'text' in item ? [] : [{ type: 'image', mimeType: item.mimeType, data: item.data }],
  );
  const value = returnsLast && output.length > 0 ? undefined : end.value;
  const returned = value === undefined ? [] : [textOf(value)];
  const written = [...texts, ...returned, ...(error === undefined ? [] : [error])];
  const text =
    written.length === 0 ? 'The program has ended. It returned nothing and wrote nothing.' : written.join('\n');
  const result = error === undefined ? { forLLM: text } : errorResult(text);
  return {
    ...result,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
    ...(value === undefined ? {} : { data: JSON.parse(value) as JsonValue }),
    ...(media.length === 0 ? {} : { media }),
  };
}

/** A returned string is written as it is. */
function textOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
}
