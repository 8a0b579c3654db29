import { existsSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { ToolImplementation, Toolset, Approve } from '@kernel/protocol';
import { createWorkspace, type Workspace } from '@kernel/toolbox/workspace';
import type { AgentBundle, BundleMode } from '@kernel/toolbox/bundles';
import type { PermissionRule } from '@kernel/toolbox/permissions';
import type { ToolBinding } from '@kernel/tools';
import type { CommandCall } from '../command-call.ts';
import { cacheFolder, configFolder, stateFolder } from '../config/folders.ts';
import { isInside } from '../files/is-inside.ts';
import type { Host } from '../host.ts';
import { builtInTools } from '../tools/index.ts';
import type { CommandSetting } from '../questions/show-call.ts';
import { usageError } from '../usage-error.ts';
import type { ViewedTools } from '../output/view.ts';
import { isolationFor, isolationName } from './isolation-for.ts';
import { createPolicy, type Policy } from './policy.ts';
import type { PreviewChange } from './preview-change.ts';
import { effectsOf, rulesOf } from './rules.ts';
import { newRunFolder, undoFolder } from './undo-folders.ts';
import { loadUserRules } from './user-rules.ts';

/** What a toolkit is opened for. */
export type ToolkitCall = Pick<CommandCall, 'flags' | 'host' | 'output' | 'signal'>;

/** What the agent works with: the tools for the workspace, and what they are allowed. */
export interface Toolkit {
  /** The built-in tools and those of the bundle. */
  readonly tools: readonly (ToolBinding | ToolImplementation)[];
  /** How to work with the bundle's tools; empty without a bundle. */
  readonly instructions: string;
  /** Decides on calls that may change something: by rules, else by asking. */
  readonly approve: Approve;
  /** Applies the rules to all calls of a toolset, those that only read included. */
  readonly guard: (tools: Toolset) => Toolset;
  /** All rules in effect, those of answers included. */
  readonly rules: () => readonly PermissionRule[];
  /** What keeps a call waiting for an approval. */
  readonly waitsFor: Policy['waitsFor'];
  /** The file of the user's own rules. */
  readonly rulesFile: string;
  /** What is shown of the tools. */
  readonly viewed: ViewedTools;
  /** The files that the tools see. */
  readonly workspace: Workspace;
  /** Finds out how `run_command` runs commands; undefined if there is no such tool. */
  readonly commands: () => Promise<CommandSetting | undefined>;
  /** Ends the commands that run. What was changed can still be taken back. */
  close(): Promise<void>;
}

/** The longest that a command may take, in milliseconds. */
const COMMAND_MS = 120_000;

/** What decides where all tools only read. */
const NO_POLICY: Policy = {
  approve: () => Promise.resolve({ decision: 'deny', reason: 'It is not one of the tools that only read.' }),
  guard: (tools) => tools,
  rules: () => [],
  waitsFor: () => ({}),
};

/** Opens the workspace and the bundle of `--bundle`. Only in its mode `act` can the workspace be written. Rejects with a usage error. */
export async function openToolkit(invocation: ToolkitCall): Promise<Toolkit> {
  const { flags, host, output } = invocation;
  const mode: BundleMode | undefined = flags.bundle === undefined ? undefined : modeOf(flags.mode);
  const workspace = await openWorkspace(flags.workspace ?? host.cwd, host, mode);
  const root = workspace.folder ?? host.cwd;
  const bundle = mode === undefined ? undefined : await openBundle(invocation, workspace, mode);
  const hasCommands = bundle?.tools.some(({ tool }) => tool.name === 'run_command') === true;
  const commands = async (): Promise<CommandSetting | undefined> =>
    hasCommands
      ? { folder: root, timeoutMs: COMMAND_MS, isolation: (await isolationName(flags.sandbox)) ?? null }
      : undefined;
  const userRules = await loadUserRules(host, root);
  const given = rulesOf(flags);
  // The built-in tools only read: without rules nothing is to be decided.
  const hasPolicy = bundle !== undefined || flags.tools !== undefined || given.length > 0 || userRules.rules.length > 0;
  const policy = hasPolicy
    ? await createPolicy({
        rules: bundle?.rules ?? [],
        flags: given,
        userRules,
        yes: effectsOf(flags.yes),
        root,
        preview: bundle === undefined ? undefined : previewOf(workspace),
        commands,
        terminal: host,
        output,
      })
    : NO_POLICY;
  for (const sentence of bundle?.missing ?? []) output.note(`note: ${sentence}`);
  const replaced = new Set(bundle?.tools.map(({ tool }) => tool.name));
  const own = [...builtInTools(workspace).filter(({ tool }) => !replaced.has(tool.name)), ...(bundle?.tools ?? [])];
  return {
    ...policy,
    rulesFile: userRules.path,
    tools: own,
    instructions: bundle?.instructions ?? '',
    viewed: {
      changing: new Set(bundle?.tools.filter(({ tool }) => tool.effect !== 'read').map(({ tool }) => tool.name)),
      own: new Set(own.map(({ tool }) => tool.name)),
      waitsFor: policy.waitsFor,
    },
    workspace,
    commands,
    close: async () => bundle?.close(),
  };
}

/**
 * Opens the folder. What a run replaces is kept in the state folder, in a folder of the run, so that it can be taken back after its end. The program's own files are
 * closed to tools, where they are inside: they say what is allowed, and the cache holds code that the next start runs.
 */
async function openWorkspace(folder: string, host: Host, mode: BundleMode | undefined): Promise<Workspace> {
  const refuse = (): never => {
    throw usageError(`--workspace "${folder}" is not a readable folder.`);
  };
  const plain = await createWorkspace({ root: folder }).catch(refuse);
  const root = plain.folder ?? folder;
  const deny = ownFolders(host, root).map(exactly);
  if (mode !== 'act') return deny.length === 0 ? plain : createWorkspace({ root, deny });
  const state = { folder: await newRunFolder(undoFolder(host, root)) };
  return createWorkspace({ root, write: ['**'], deny, state }).catch(refuse);
}

/** The program's folders inside the workspace, relative to it. */
function ownFolders(host: Host, root: string): readonly string[] {
  return [configFolder(host), stateFolder(host), cacheFolder(host)]
    .map((folder) => (existsSync(folder) ? realpathSync(folder) : folder))
    .filter((folder) => isInside(root, folder))
    .map((folder) => relative(root, folder));
}

/** The rule about this path, whatever characters its names have. */
function exactly(path: string): string {
  return `./${path
    .split(sep)
    .join('/')
    .replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`)}`;
}

/** What previews changes is loaded when something is asked about. */
function previewOf(workspace: Workspace): PreviewChange {
  return async (call, signal) => {
    const { createPreview } = await import('./preview-change.ts');
    return createPreview(workspace)(call, signal);
  };
}

function modeOf(given = 'act'): BundleMode {
  return given === 'read-only' || given === 'plan' ? given : 'act';
}

async function openBundle(
  { flags, host, signal }: ToolkitCall,
  workspace: Workspace,
  mode: BundleMode,
): Promise<AgentBundle> {
  const { blogAgent, codeAgent } = await import('@kernel/toolbox/bundles');
  if (flags.bundle === 'blog_agent') return blogAgent({ workspace, mode });
  const isolation = mode === 'read-only' ? undefined : await isolationFor(flags.sandbox);
  const hidden = ownFolders(host, workspace.folder ?? host.cwd);
  return codeAgent({ workspace, mode, signal, commands: { isolation, hidden, timeoutMs: COMMAND_MS } });
}
