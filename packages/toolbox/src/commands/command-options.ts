import { checkChoice, checkKeys, checkNumber, KernelError, optionKeys } from '@kernel/protocol';
import type { Workspace } from '../workspace/index.ts';
import type { Isolation } from './isolation/types.ts';
import type { Terminals } from './terminal/terminals.ts';

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
  /**
   * Files and folders of the workspace that appear empty to isolated commands, such as `.env`, as relative paths. No
   * command can replace them; where a link above one would allow that, none runs. Those that do not exist are skipped:
   * a command can make them.
   */
  readonly hidden?: readonly string[] | undefined;
  /**
   * Whether isolated commands may change the repository in the folder, or make one, for example to commit. Git may later run what they write there (a hook, the
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
export function checkCommandOptions(options: CommandOptions): void {
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
