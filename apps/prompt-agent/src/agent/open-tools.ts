import { join } from 'node:path';
import { errorMessage } from '@kernel/internal';
import type { McpApps, McpPrompt } from '@kernel/mcp';
import type { ToolEffect, ToolWithHandler, Toolset } from '@kernel/protocol';
import type { AgentSetup, AgentMode } from '@kernel/toolbox/agents';
import type { Workspace } from '@kernel/toolbox/workspace';
import { createRegistry, searchTool, type ToolBinding, type ToolRegistry } from '@kernel/tools';
import { COMMAND_MS, isolationFor, isolationName, tellOfIsolation } from './command-isolation.ts';
import { createPolicy, NO_POLICY, type Policy, rulesOf } from '../approval/policy.ts';
import { loadUserRules } from '../approval/user-rules.ts';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { makeFolder } from '../files/paths.ts';
import type { AddedServers } from '../mcp-servers/added-servers.ts';
import type { ViewedTools } from '../output/view.ts';
import type { CommandSetting, ToolOrigin } from '../questions/show-call.ts';
import { builtInTools } from '../tools/built-in-tools.ts';
import type { EditorServers } from '../user-tools/editor-servers.ts';
import type { ServerUse, UserTools } from '../user-tools/load-user-tools.ts';
import { openWorkspace, ownFolders } from '../workspace/open-workspace.ts';

/** The tools of an invocation (the built-in ones, those of the bundle and those of `--tools`), and what they are allowed. */
export interface OpenTools extends Pick<Policy, 'approve' | 'rules'> {
  /** All tools, each call checked by the rules. */
  readonly toolset: Toolset;
  /** How to work with the bundle's tools; empty without a bundle. */
  readonly instructions: string;
  readonly rulesFile: string;
  readonly viewed: ViewedTools;
  readonly workspace: Workspace;
  /** The apps of the servers of `--tools`, where they are shown, and how the rules are applied to what they call. */
  readonly apps: { readonly apps: McpApps; readonly guard: Policy['guard'] } | undefined;
  /** Finds out how `run_command` runs commands; undefined if there is no such tool. */
  readonly commands: () => Promise<CommandSetting | undefined>;
  /** Says whose a tool of an MCP server is. */
  readonly origin: (tool: string) => ToolOrigin | undefined;
  /** The prompts of the servers that are connected to. A server that cannot list them is left out. */
  readonly prompts: (signal: AbortSignal) => Promise<readonly McpPrompt[]>;
  /** The servers that were added. Nothing is read or connected to before something of them is wanted. */
  readonly servers: () => Promise<AddedServers>;
  /** Stops the servers and commands that run for them. What was changed can still be taken back. */
  close(): Promise<void>;
}

/** Asks about the calls of tools that are called without a run. */
type WithoutRun = (tools: Toolset, approve: Policy['approve']) => Toolset;

/** What the tools are opened with, beside the flags. */
export interface ToolsUse extends ServerUse {
  /** The workspace, if it is open already. It is not closed with the tools. */
  readonly workspace?: Workspace | undefined;
  /** More tools of the program's own. */
  readonly tools?: readonly ToolWithHandler[];
  /** Wraps the tools that do something, below those that run programs of them. */
  readonly wrap?: (tools: Toolset) => Toolset;
  /** MCP servers that an editor gives. */
  readonly servers?: EditorServers | undefined;
}

/** Opens the tools, and the servers of those that have one. Only a bundle in its mode `act` can write the workspace. Rejects with a usage error that names the flag. */
export async function openTools(
  call: CommandCall,
  {
    withoutRun,
    workspace: given,
    tools = [],
    wrap,
    servers: editorServers,
    ...use
  }: ToolsUse & { readonly withoutRun?: WithoutRun } = {},
): Promise<OpenTools> {
  const { flags, host, output } = call;
  const mode = flags.bundle === undefined ? undefined : (flags.mode ?? 'act');
  const workspace = given ?? (await openWorkspace(flags.workspace ?? host.cwd, host, mode === 'act'));
  const root = workspace.folder ?? host.cwd;
  const bundle = mode === undefined ? undefined : await openBundle(call, workspace, mode);
  const ofBundle = bundle?.tools ?? [];
  const commands = async (): Promise<CommandSetting | undefined> =>
    ofBundle.some(({ tool }) => tool.name === 'run_command')
      ? { folder: root, timeoutMs: COMMAND_MS, isolation: (await isolationName(flags.sandbox)) ?? null }
      : undefined;
  const userRules = await loadUserRules(host, root);
  const added: UserTools[] = [];
  const origin = (tool: string): ToolOrigin | undefined =>
    added.map(({ toolset }) => toolset?.origin(tool)).find((each) => each !== undefined);
  // The built-in tools only read: without rules nothing is to be decided.
  const hasRules = rulesOf(flags).length + userRules.rules.length > 0;
  const policy =
    bundle === undefined &&
    flags.tools === undefined &&
    flags['agent-command'] === undefined &&
    flags.execute !== true &&
    editorServers === undefined &&
    !hasRules
      ? NO_POLICY
      : await createPolicy(call, {
          rules: bundle?.rules ?? [],
          userRules,
          root,
          // What previews changes is loaded when something is asked about.
          preview:
            bundle &&
            (async (toolCall, signal) =>
              (await import('../approval/try-change.ts')).previewChange(workspace, toolCall, signal)),
          commands,
          origin,
        });
  for (const sentence of bundle?.missing ?? []) output.note(`note: ${sentence}`);
  const replaced = new Set(ofBundle.map(({ tool }) => tool.name));
  const own = [...builtInTools(workspace).filter(({ tool }) => !replaced.has(tool.name)), ...ofBundle, ...tools];
  own.push(
    ...(await agentsOf(call, workspace, { mode, hasCommands: replaced.has('run_command'), taken: namesOf(own) })),
  );
  let opened: Promise<AddedServers> | undefined;
  const servers = (): Promise<AddedServers> =>
    (opened ??= import('../mcp-servers/added-servers.ts').then(({ openAddedServers }) =>
      openAddedServers(call, ...added),
    ));
  const close = async (): Promise<void> => {
    await opened?.then((each) => each.close()).catch(() => undefined);
    await Promise.all(added.map((each) => each.close()));
    await bundle?.close();
    if (given === undefined) await workspace.close();
  };
  try {
    if (flags.tools !== undefined || flags.execute === true) {
      const { loadUserTools } = await import('../user-tools/load-user-tools.ts');
      added.push(await loadUserTools(flags.tools, call, use));
    }
    if (editorServers !== undefined) {
      const { loadEditorServers } = await import('../user-tools/editor-servers.ts');
      added.push(await loadEditorServers(editorServers, call, use));
    }
    const apps = added.find((each) => each.apps !== undefined)?.apps;
    const registry = registryOf(own, added);
    const former = hasRules ? await import('../approval/former-names.ts') : undefined;
    for (const each of former?.formerNames([...rulesOf(flags), ...userRules.rules], registry) ?? []) output.alert(each);
    const guarded = policy.guard(wrap?.(registry) ?? registry);
    const asked = withoutRun?.(guarded, policy.approve) ?? guarded;
    return {
      // Of a run, each call of a program is asked about: the program itself does nothing.
      toolset:
        flags['code-mode'] === true ? await withPrograms(asked, withoutRun === undefined ? 'read' : undefined) : asked,
      approve: policy.approve,
      rules: policy.rules,
      instructions: bundle?.instructions ?? '',
      rulesFile: userRules.path,
      viewed: {
        changing: new Set(ofBundle.filter(({ tool }) => tool.effect !== 'read').map(({ tool }) => tool.name)),
        own: new Set(own.map(({ tool }) => tool.name)),
        waitsFor: policy.waitsFor,
      },
      workspace,
      apps: use.showsApps === true && apps !== undefined ? { apps, guard: policy.guard } : undefined,
      commands,
      origin,
      prompts: async (signal) => {
        const lists = added.map(async ({ toolset }) => toolset?.listPrompts({ signal }).catch(() => []) ?? []);
        return (await Promise.all(lists)).flat();
      },
      servers,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The agents of `--agent-command`. They have terminals where there are commands. */
async function agentsOf(
  { flags, host, output }: CommandCall,
  workspace: Workspace,
  {
    mode,
    hasCommands,
    taken,
  }: { readonly mode?: string | undefined; readonly hasCommands: boolean; readonly taken: ReadonlySet<string> },
): Promise<readonly ToolWithHandler[]> {
  const texts = flags['agent-command'];
  if (texts === undefined) return [];
  if (mode === 'plan' || mode === 'read-only') {
    output.note(`note: --agent-command is ignored: the agent can write files, which --mode ${mode} does not allow`);
    return [];
  }
  const { otherAgents } = await import('../tools/other-agents.ts');
  const isolation = hasCommands ? await isolationFor(flags.sandbox) : undefined;
  const wrap = (each: ToolWithHandler): ToolWithHandler => tellOfIsolation(each, flags.sandbox, output);
  const commands = isolation && { isolation, timeoutMs: COMMAND_MS, wrap };
  return otherAgents(texts, { host, workspace, commands, taken });
}

function namesOf(tools: readonly (ToolBinding | ToolWithHandler)[]): ReadonlySet<string> {
  return new Set(tools.map(({ tool }) => tool.name));
}

/** Puts the tools behind the one that runs programs. */
async function withPrograms(tools: Toolset, effect: ToolEffect | undefined): Promise<Toolset> {
  const { withCodeMode } = await import('@kernel/code-mode');
  return withCodeMode(tools, { effect });
}

/** The most characters of a result that a model gets: what `read_file` may return, and a margin. */
const MAX_RESULT_LENGTH = 300_000;

/** Creates the registry. A taken or illegal name among those of the user is a usage error of `--tools`. */
function registryOf(own: readonly (ToolBinding | ToolWithHandler)[], added: readonly UserTools[]): ToolRegistry {
  try {
    const registry = createRegistry([...own, ...added.flatMap(({ bindings }) => bindings)], {
      resultLimit: MAX_RESULT_LENGTH,
    });
    // Their names have their prefixes already.
    for (const { toolset } of added) if (toolset !== undefined) registry.mount('', toolset);
    if (added.length > 0)
      offerContents(
        registry,
        added.flatMap(({ contents = [] }) => contents),
      );
    return registry;
  } catch (error) {
    throw usageError(`--tools: ${errorMessage(error)}`);
  }
}

/** Offers what servers have to read once the model looks for it. A tool of a server that has one of these names by its own choice goes first. */
function offerContents(registry: ToolRegistry, contents: readonly ToolWithHandler[]): void {
  const search = searchTool(registry);
  const taken = new Set(registry.list().map(({ name }) => name));
  if (taken.has(search.tool.name)) return;
  for (const each of contents) if (!taken.has(each.tool.name)) registry.register(each, { hidden: true });
  if (registry.hiddenTools().length > 0) registry.register(search);
}

/** Opens the tools of `--bundle`. Rejects with a usage error for `--sandbox required` where the system has no way to isolate commands. */
async function openBundle(
  { flags, host, output, signal }: CommandCall,
  workspace: Workspace,
  mode: AgentMode,
): Promise<AgentSetup> {
  const { blogAgent, codeAgent } = await import('@kernel/toolbox/agents');
  if (flags.bundle === 'blog_agent') return blogAgent({ workspace, mode });
  const isolation = mode === 'read-only' ? undefined : await isolationFor(flags.sandbox);
  const root = workspace.folder ?? host.cwd;
  const hidden = ownFolders(host, root);
  // If such a folder is missing, a command could create it and allow itself anything.
  if (mode !== 'read-only') for (const folder of hidden) makeFolder(join(root, folder));
  const commands = { isolation, hidden, timeoutMs: COMMAND_MS, terminals: host.editor?.terminals };
  const setup = await codeAgent({ workspace, mode, signal, commands });
  return { ...setup, tools: setup.tools.map((each) => tellOfIsolation(each, flags.sandbox, output)) };
}
