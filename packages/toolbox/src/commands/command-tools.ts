import { sliceHead } from '@kernel/internal';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkChoice,
  checkKeys,
  checkNumber,
  KernelError,
  optionKeys,
  type ToolContext,
  type ToolWithHandler,
  type ToolResult,
} from '@kernel/protocol';
import type { Workspace } from '../workspace/index.ts';
import { createBackgroundCommands } from './background-commands.ts';
import { describeEnd, toCommandResult } from './command-result.ts';
import { commandVariables, DEFAULT_VARIABLES, resolveProgram } from './environment.ts';
import { resolveIsolation } from './isolation/detect-isolation.ts';
import type { IsolatedCommand, Isolation } from './isolation/types.ts';
import { createOutputBuffer, createProgress } from './process/output-buffer.ts';
import { type ProcessOptions, startProcess } from './process/start-process.ts';
import { runInTerminal } from './terminal/run-in-terminal.ts';
import type { Terminals } from './terminal/terminals.ts';
import { READ_OUTPUT, RUN_COMMAND, STOP_COMMAND } from './tools.ts';

/** Options of `commandTools`. */
export interface CommandOptions {
  /** The workspace in whose folder commands run. It must be on disk. */
  readonly workspace: Workspace;
  /**
   * How commands are confined to the folder. `auto`: bubblewrap, Linux namespaces or the macOS sandbox, whichever works; if none does, commands run
   * without isolation, and every result says so. `required`: the same, but nothing runs without isolation. `none`: no isolation. Default `auto`.
   */
  readonly isolation?: Isolation | 'auto' | 'required' | 'none' | undefined;
  /** Whether isolated commands may use the network, loopback included. Without isolation they always can. Default false. */
  readonly network?: boolean | undefined;
  /** Files and folders that isolated commands may read in addition to the system's, as absolute paths. */
  readonly readable?: readonly string[] | undefined;
  /** Files and folders of the workspace that appear empty to isolated commands, such as `.env`, as relative paths. Those that do not exist are skipped. */
  readonly hidden?: readonly string[] | undefined;
  /**
   * Whether isolated commands may change the repository in the folder, for example to commit. Git may later run what they write there (a hook, the
   * config) outside the isolation. Default false.
   */
  readonly gitWritable?: boolean | undefined;
  /** The names of the environment variables that commands inherit. Default: `DEFAULT_VARIABLES`. */
  readonly variables?: readonly string[] | undefined;
  /** Environment variables that get other values than in this process. */
  readonly setVariables?: Readonly<Record<string, string>> | undefined;
  /** Time limit of a command, in milliseconds, which is also the longest that a call can ask for; `Infinity` means none. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** How many bytes of output a result holds: half from the beginning, half from the end. Default 30,000. */
  readonly maxOutputBytes?: number | undefined;
  /** How many background commands of a run may run at once. Default 8. */
  readonly maxBackground?: number | undefined;
  /**
   * The terminals of an editor, in which the user sees commands run. A command with `input` runs in a process of this program all the same, and so does one
   * whose isolation does not work in terminals (`Isolation.worksInTerminals`): isolation goes first. What a command in a terminal leaves running, the editor
   * ends. Default: all commands run in processes of this program.
   */
  readonly terminals?: Terminals | undefined;
}

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

const KEYS = optionKeys<CommandOptions>({
  workspace: true,
  isolation: true,
  network: true,
  readable: true,
  hidden: true,
  gitWritable: true,
  variables: true,
  setVariables: true,
  timeoutMs: true,
  maxOutputBytes: true,
  maxBackground: true,
  terminals: true,
});
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
  const variables = {
    ...commandVariables(options.variables ?? DEFAULT_VARIABLES, folder),
    ...options.setVariables,
  };
  const background = createBackgroundCommands(maxOutputBytes);

  const prepare = async ({ command, cwd = '.', input = '' }: RunInput, signal: AbortSignal) => {
    if (command.some((word) => word.includes('\0')))
      throw new KernelError('TOOL_FAILED', 'A word of the command contains a NUL character.');
    if (command[0] === '') throw new KernelError('TOOL_FAILED', 'The name of the program is empty.');
    const info = await workspace.stat(cwd, { signal });
    if (info.type !== 'directory') throw new KernelError('TOOL_FAILED', `"${cwd}" is not a folder.`);
    const isolation = await resolveIsolation(options.isolation);
    const works = isolation === undefined || isolation.worksInTerminals === true;
    const terminals = works && input === '' ? options.terminals : undefined;
    const request = {
      command,
      folder,
      cwd: join(folder, info.path),
      variables,
      network: options.network ?? false,
      readable: options.readable ?? [],
      hidden: (options.hidden ?? [])
        .map((path) => join(folder, workspace.normalize(path)))
        .filter((path) => existsSync(path)),
      gitWritable: options.gitWritable ?? false,
      inTerminal: terminals !== undefined,
    };
    const isolated = isolation?.wrap(request);
    const [program = '', ...args] = command;
    /** What is started: a program that is not there is known only then, also for a command in the background. */
    const toStart = (): IsolatedCommand =>
      isolated ?? {
        program: resolveProgram(program, request, options.setVariables?.['PATH'] !== undefined),
        args,
        variables,
      };
    return { toStart, cwd: request.cwd, terminals, isIsolated: isolation !== undefined };
  };
  const start = async (
    { toStart, cwd, terminals }: Awaited<ReturnType<typeof prepare>>,
    { background: isFollowed = false, input = '' }: RunInput,
    { callId, ...rest }: Pick<ProcessOptions, 'timeoutMs' | 'signal' | 'onOutput'> & Pick<ToolContext, 'callId'>,
  ) =>
    terminals === undefined
      ? startProcess(toStart(), { cwd, input, ...rest })
      : runInTerminal(terminals, toStart(), { cwd, callId, isFollowed, ...rest });

  const runCommand = async (input: RunInput, context: ToolContext): Promise<ToolResult> => {
    const prepared = await prepare(input, context.signal);
    const isWarned = !prepared.isIsolated && options.isolation !== 'none';
    const warning = isWarned ? notIsolated(prepared.terminals === undefined ? 'this program' : 'the editor') : '';
    const { callId } = context;
    if (input.background === true) {
      const running = background.of(context).filter((each) => each.end() === undefined).length;
      if (running >= maxBackground)
        throw new KernelError('TOOL_FAILED', `${running} commands run in the background, which is the limit.`, {
          hint: 'Stop one with stop_command.',
        });
      const { id } = background.add(context, (command) =>
        start(prepared, input, {
          callId,
          timeoutMs: Infinity,
          signal: command.controller.signal,
          onOutput: command.append,
        }),
      );
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
    return toCommandResult(end, output, timeoutMs, warning);
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
    return `${end === undefined ? 'It runs.' : describeEnd(end)}\n${command.takeOutput() || '(no new output)'}`;
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

function notIsolated(owner: string): string {
  return `\n(This system has no way to isolate commands: it ran with all rights of ${owner}, network included.)`;
}

function checkCommandOptions(options: CommandOptions): void {
  checkKeys('commandTools', options, KEYS);
  if (typeof options.isolation !== 'object')
    checkChoice('commandTools', 'isolation', options.isolation, ['auto', 'required', 'none']);
  checkNumber('commandTools', 'timeoutMs', options.timeoutMs, 1);
  checkNumber('commandTools', 'maxOutputBytes', options.maxOutputBytes, 2);
  checkNumber('commandTools', 'maxBackground', options.maxBackground, 0);
  if (options.workspace.folder === undefined)
    throw new KernelError(
      'CONFIG_INVALID',
      'commandTools needs a workspace on disk: programs cannot see one in memory.',
      {
        hint: 'Pass workspace: await createWorkspace({ root, … }).',
      },
    );
}
