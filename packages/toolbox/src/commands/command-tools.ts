import { sliceHead } from '@kernel/internal';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KernelError, type ToolContext, type ToolWithHandler, type ToolResult } from '@kernel/protocol';
import { type BackgroundCommand, createBackgroundCommands } from './background-commands.ts';
import { checkCommandOptions, type CommandOptions } from './command-options.ts';
import { describeEnd, describeLimits, toCommandResult } from './command-result.ts';
import { gitVariables } from './analysis/git-programs.ts';
import { commandVariables, DEFAULT_VARIABLES, refuseShellWords, resolveProgram } from './environment.ts';
import { clearSetIds } from './isolation/clear-set-ids.ts';
import { resolveIsolation } from './isolation/detect-isolation.ts';
import { holdRepository } from './isolation/hold-repository.ts';
import { repositoryOutside } from './isolation/outside-repository.ts';
import type { IsolatedCommand } from './isolation/types.ts';
import { createOutputBuffer, createProgress } from './process/output-buffer.ts';
import { type ProcessEnd, type ProcessOptions, startProcess } from './process/start-process.ts';
import { runInTerminal } from './terminal/run-in-terminal.ts';
import { READ_OUTPUT, RUN_COMMAND, STOP_COMMAND } from './tools.ts';

/** The tools for commands, and a way to stop those in the background. */
export interface CommandTools {
  /** `run_command`, `read_output` and `stop_command`. */
  readonly tools: readonly ToolWithHandler[];
  /** Stops all background commands and waits until they have ended. */
  close(): Promise<void>;
}

interface RunInput {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly input?: string;
  readonly timeout_seconds?: number;
  readonly background?: boolean;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 30_000;
const MAX_BACKGROUND = 8;

/**
 * Creates the tools `run_command`, `read_output` and `stop_command`. A command is an argument vector: no shell interprets it, unless it names one.
 *
 * `approve` decides whether a command may run (see `permissions`), and `isolation` what it can reach. Its whole process group is stopped on a
 * timeout, on an abort and when its main process ends.
 *
 * @example
 * ```ts
 * import { commandTools, createWorkspace } from '@kernel/toolbox';
 * const { tools } = commandTools({ workspace: await createWorkspace({ root: process.cwd() }) });
 * ```
 */
export function commandTools(options: CommandOptions): CommandTools {
  checkCommandOptions(options);
  const {
    workspace,
    timeoutMs: maxMs = TIMEOUT_MS,
    maxOutputBytes = MAX_OUTPUT,
    maxBackground = MAX_BACKGROUND,
  } = options;
  const folder = workspace.folder ?? '';
  const inherited = {
    ...commandVariables(options.variables ?? DEFAULT_VARIABLES, folder),
    ...options.setVariables,
  };
  const background = createBackgroundCommands(maxOutputBytes);

  const prepare = async ({ command, cwd = '.', input = '' }: RunInput, signal: AbortSignal) => {
    if (command.some((word) => word.includes('\0')))
      throw new KernelError('TOOL_FAILED', 'A word of the command contains a NUL character.');
    if (command[0] === '') throw new KernelError('TOOL_FAILED', 'The name of the program is empty.');
    refuseShellWords(command);
    const info = await workspace.stat(cwd, { signal });
    if (info.type !== 'directory') throw new KernelError('TOOL_FAILED', `"${cwd}" is not a folder.`);
    const isolation = await resolveIsolation(options.isolation);
    const isDecidedThere = options.terminals?.decidesOnCommands === true;
    const works = isDecidedThere
      ? options.isolation !== 'required'
      : isolation === undefined || isolation.worksInTerminals === true;
    const terminals = works && input === '' ? options.terminals : undefined;
    const isOthers = isDecidedThere && terminals !== undefined;
    const isOurs = isolation !== undefined && !isOthers;
    const directory = join(folder, info.path);
    const outside = isOurs ? repositoryOutside(folder, directory) : undefined;
    const variables = {
      ...inherited,
      ...gitVariables(command),
      // The workspace is a file system of its own there.
      ...(outside?.isPart === true && { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' }),
    };
    const request = {
      command,
      folder,
      cwd: directory,
      variables,
      network: options.network ?? false,
      readable: [...(options.readable ?? []), ...(outside?.paths ?? [])],
      hidden: (options.hidden ?? [])
        .map((path) => join(folder, workspace.normalize(path)))
        .filter((path) => existsSync(path)),
      gitWritable: options.gitWritable ?? false,
      inTerminal: terminals !== undefined,
    };
    const [program = '', ...args] = command;
    const release = isOurs && !request.gitWritable ? holdRepository(folder) : () => undefined;
    let isolated: IsolatedCommand | undefined;
    try {
      isolated = isOthers ? { program, args, variables } : isolation?.wrap(request);
    } catch (error) {
      release();
      throw error;
    }
    /** What is started: a program that is not there is known only then, also for a command in the background. */
    const toStart = (): IsolatedCommand =>
      isolated ?? {
        program: resolveProgram(program, request, options.setVariables?.['PATH'] !== undefined),
        args,
        variables,
      };
    return {
      toStart,
      cwd: request.cwd,
      terminals,
      isOurs,
      isIsolated: isOthers || isOurs,
      release,
      isPartly: outside?.isPart === true && asksForChanges(command.join(' ')),
    };
  };
  const start = async (
    { isOurs, release, terminals, toStart, cwd }: Awaited<ReturnType<typeof prepare>>,
    { background: isFollowed = false, input = '' }: RunInput,
    { callId, ...rest }: Pick<ProcessOptions, 'timeoutMs' | 'signal' | 'onOutput'> & Pick<ToolContext, 'callId'>,
  ): Promise<ProcessEnd> => {
    const startedMs = Date.now();
    // A terminal that the editor lost may still run the command.
    let mayRun = terminals !== undefined;
    try {
      const command = toStart();
      const end = await (terminals === undefined
        ? startProcess(command, { cwd, input, ...rest })
        : runInTerminal(terminals, command, { cwd, callId, isFollowed, ...rest }));
      mayRun = end.detached.length > 0;
      const cleared = isOurs ? await clearSetIds(folder, startedMs) : [];
      return { ...end, cleared, limits: command.limits };
    } finally {
      if (!mayRun) release();
    }
  };

  const runCommand = async (input: RunInput, context: ToolContext): Promise<ToolResult> => {
    const running = background.of(context).filter((each) => each.end() === undefined).length;
    if (input.background === true && running >= maxBackground)
      throw new KernelError('TOOL_FAILED', `${running} commands run in the background, which is the limit.`, {
        hint: 'Stop one with stop_command.',
      });
    const prepared = await prepare(input, context.signal);
    const isWarned = !prepared.isIsolated && options.isolation !== 'none';
    const isolationNote = isWarned ? notIsolated(prepared.terminals === undefined ? 'this program' : 'the editor') : '';
    const warning = isolationNote + (prepared.isPartly ? PARTLY : '');
    const { callId } = context;
    if (input.background === true) {
      const run = (command: Omit<BackgroundCommand, 'ended'>): Promise<ProcessEnd> =>
        start(prepared, input, {
          callId,
          timeoutMs: Infinity,
          signal: command.controller.signal,
          onOutput: command.append,
        });
      const { id } = background.add(context, run);
      return { forLLM: `${id} runs in the background. read_output returns what it writes.${warning}` };
    }
    const timeoutMs = Math.min(maxMs, (input.timeout_seconds ?? Infinity) * 1000);
    const output = createOutputBuffer(maxOutputBytes);
    const progress = createProgress((text) => context.onProgress?.(text));
    const end = await start(prepared, input, {
      callId,
      timeoutMs,
      signal: context.signal,
      onOutput(bytes) {
        output.append(bytes);
        // In a terminal the user has seen it.
        if (prepared.terminals === undefined) progress.add(bytes);
      },
    });
    progress.end();
    return toCommandResult(end, output, { timeoutMs, warning });
  };

  const find = (id: string, context: ToolContext) => {
    const commands = background.of(context);
    const found = commands.find((command) => command.id === id);
    if (found !== undefined) return found;
    const known = commands.map((command) => command.id).join(', ');
    throw new KernelError('TOOL_FAILED', `There is no background command ${JSON.stringify(sliceHead(id, 80))}.`, {
      hint: known === '' ? 'None has been started.' : `Known: ${known}.`,
    });
  };
  const readOutput = async (
    { id, wait_seconds = 0 }: { readonly id: string; readonly wait_seconds?: number },
    context: ToolContext,
  ): Promise<string> => {
    const command = find(id, context);
    await command.wait(wait_seconds * 1000, context.signal);
    const end = command.end();
    const output = command.takeOutput();
    const how = end === undefined ? 'It runs.' : describeEnd(end) + describeLimits(end, output);
    return `${how}\n${output || '(no new output)'}`;
  };
  const stopCommand = async ({ id }: { readonly id: string }, context: ToolContext): Promise<string> => {
    const command = find(id, context);
    command.controller.abort();
    await command.ended;
    const end = command.end();
    return `${end === undefined ? '' : describeEnd(end)}\n${command.takeOutput()}`.trim();
  };

  return {
    tools: [
      // The command has a limit of its own, and several may run at once.
      { tool: RUN_COMMAND, handler: runCommand, timeoutMs: 0, concurrency: 8 },
      { tool: READ_OUTPUT, handler: readOutput, timeoutMs: 0 },
      { tool: STOP_COMMAND, handler: stopCommand },
    ],
    close: () => background.close(),
  };
}

function asksForChanges(command: string): boolean {
  return /\bgit\b/.test(command) && /\b(?:status|diff)\b/.test(command);
}

const PARTLY =
  '\n(Commands see no files outside of the workspace: what Git says was deleted there is not. "git status ." tells of the workspace alone.)';

function notIsolated(owner: string): string {
  return `\n(This system has no way to isolate commands: it ran with all rights of ${owner}, network included.)`;
}
