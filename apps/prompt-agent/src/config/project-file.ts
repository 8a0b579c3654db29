import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AgentConfig } from '@kernel/agent/config';
import { sha256Hex, visible } from '@kernel/internal';
import { mayHoldCredentials } from '@kernel/toolbox/workspace';
import { usageError } from '../exit-code.ts';
import { isInside } from '../files/paths.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import type { Output } from '../output/output.ts';
import { hasTerminal } from '../questions/ask.ts';
import { stateFolder } from './folders.ts';
import { changeState, readState } from './state-file.ts';

/** The variables that a project's file may use begin with this: they are made for this program. */
const PROJECT_VARIABLES = 'PROMPT_AGENT_';

/** Returns the variables of the environment that a project's file may use. Throws a usage error for a file that names another one. */
export function variablesFor(text: string, file: string, env: Host['env']): Host['env'] {
  const [, name] = /\$\{(?!PROMPT_AGENT_)([A-Za-z_][A-Za-z0-9_]*)\}/.exec(text.replaceAll('$${', '')) ?? [];
  if (name !== undefined)
    throw usageError(
      `${file}: a project's file may only use variables that begin with ${PROJECT_VARIABLES}, not ${name}. Give --config ${file} if you trust it.`,
    );
  return Object.fromEntries(Object.entries(env).filter(([key]) => key.startsWith(PROJECT_VARIABLES)));
}

export async function checkMemory(config: AgentConfig, file: string, workspace: string, cwd: string): Promise<void> {
  const path = config.memory?.path;
  if (path === undefined || path === '') return;
  const root = await realpath(workspace).catch(() => workspace);
  const wanted = resolve(cwd, path);
  const real = await realpath(wanted).catch(() => wanted);
  const isPrivate = mayHoldCredentials(real);
  if (isInside(root, real) && !isPrivate) return;
  const problem = isPrivate ? 'leads to what may hold credentials' : 'leads outside the workspace';
  throw usageError(
    `${file}: memory.path "${oneLine(path)}" ${problem}, which a project's file may not. Give --memory if you want it.`,
  );
}

/**
 * Throws a usage error for a project's file that sets the header `Host`. It also chooses the name that TLS asks for: at a vendor whose addresses many
 * sites share, it would bring the key to another one.
 */
export function checkHeaders({ provider: { authHeader, options } }: AgentConfig, file: string): void {
  const names = [...Object.keys(options['headers'] ?? {}), authHeader ?? ''];
  if (names.some((name) => name.trim().toLowerCase() === 'host'))
    throw untrusted(file, 'set the header "Host", which decides where requests end');
}

export function untrusted(file: string, what: string): Error {
  return usageError(`${file}: a project's file may not ${what}. Give --config ${file} if you trust it.`);
}

const ROUTE = 'which decides how requests reach the model';

/** What only you may set, by its name without case and separators, and why. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ['proxy', ROUTE],
  ['tls', ROUTE],
  ['socketpath', ROUTE],
  ['fetch', ROUTE],
  ['servertools', 'which decides what the vendor runs in your name'],
]);

/**
 * Throws a usage error for a project's file that sets how the provider connects: a proxy or an authority of a stranger's would read what is sent, and a
 * socket may be that of a program with more rights. Nor may it choose tools that the vendor runs: they could take the conversation elsewhere, unasked.
 */
export function checkOptions({ provider: { options } }: AgentConfig, file: string): void {
  for (const name of Object.keys(options)) {
    const reason = RESERVED.get(name.replaceAll(/[_-]/g, '').toLowerCase());
    if (reason !== undefined) throw untrusted(file, `set "${oneLine(name, 40)}", ${reason}`);
  }
}

/** Whether the user has approved the config file of a project with this content. Asks nobody. */
export async function isApprovedAlready(path: string, text: string, host: Host): Promise<boolean> {
  return (await loadProjectApprovals(host)).find(path, text) === true;
}

/**
 * Whether the user allows the config file of a project: asked once on a terminal, for this content. Without a terminal the answer is no, with a
 * note.
 */
export async function isApproved(
  path: string,
  { text, ...content }: { readonly text: string } & ProjectConfig,
  host: Host,
  output: Output,
): Promise<boolean> {
  const approvals = await loadProjectApprovals(host, output);
  const decision = approvals.find(path, text);
  if (decision === true) return true;
  const shown = oneLine(path, 200);
  if (decision === false) {
    output.note(`config: ${shown} is not used, as you decided. Give --config to use it.`);
    return false;
  }
  if (!hasTerminal(host)) {
    output.note(
      `config: ${shown} is not used, since nobody approved it. Start prompt-agent on a terminal, or give --config.`,
    );
    return false;
  }
  const lines = [
    `This folder has a config file that you have not used before: ${visible(path)}`,
    ...(await describe(content)).map((line) => `  ${line}`),
  ];
  const { confirm } = await import('../questions/question.ts');
  const isAllowed = await confirm(host, output, lines, 'Use it?', host.signal);
  await approvals.save(path, text, isAllowed);
  return isAllowed;
}

interface ProjectConfig {
  /** The JSON of the file, without what is not read. */
  readonly parsed: Readonly<Record<string, unknown>>;
  readonly config: AgentConfig;
}

/** Describes a project's file whole: where requests would go, then each of its members. Only values that are secrets by name are hidden. */
async function describe({ parsed, config }: ProjectConfig): Promise<readonly string[]> {
  const { provider, agents, memory } = config;
  const [{ HIDDEN, isNamedSecret }, { indentJson }] = await Promise.all([
    import('../mcp-servers/server-entry.ts'),
    import('../questions/json-text.ts'),
  ]);
  const withoutSecrets = (name: string, value: unknown): unknown =>
    typeof value === 'string' && isNamedSecret(name, value) ? HIDDEN : value;
  return [
    `provider: ${addressOf(provider)}`,
    ...Object.entries(agents ?? {}).map(([name, agent]) => `agent ${name}: ${addressOf(agent.provider)}`),
    ...Object.entries(parsed).flatMap(([key, value]) => {
      if (value === null) return [];
      const text = typeof value === 'string' ? value : indentJson(JSON.stringify(value, withoutSecrets));
      return [`${key.replaceAll('_', ' ')}: ${text}`];
    }),
    ...(memory?.path === undefined
      ? []
      : ['The notes of that folder are sent too. They can change without a question.']),
  ].flatMap((line) => visible(line).replaceAll('\n', '\n    ').split('\n'));
}

function addressOf({ baseUrl, name }: AgentConfig['provider']): string {
  return baseUrl === undefined ? name : `${name} at ${baseUrl}`;
}

const FILE = 'project-configs.json';

/**
 * Loads the user's decisions on config files of projects. A decision holds for a path and a content: a file that changes is asked about again. A damaged
 * file is told of on the output.
 */
export async function loadProjectApprovals(host: Pick<Host, 'env' | 'home'>, output?: Pick<Output, 'alert'>) {
  const path = join(stateFolder(host), FILE);
  const state = await readState(path, async () => (await import('./file-schemas.ts')).decisionSchema);
  const decisions = state.entries;
  if (state.damage !== undefined) output?.alert(state.damage);
  return {
    /** Whether the file may be used; undefined if the user was not asked about this content yet. */
    find(file: string, text: string): boolean | undefined {
      const decision = decisions.get(file);
      return decision?.sha256 === sha256Hex(text) ? decision.allowed : undefined;
    },
    async save(file: string, text: string, allowed: boolean): Promise<void> {
      const decision = { sha256: sha256Hex(text), allowed };
      decisions.set(file, decision);
      await changeState(path, (json) => ({ ...json, [file]: decision }));
    },
  };
}
