import { parseJson, isObject } from '@kernel/internal';
import type { Workspace } from '../workspace/index.ts';

/** The commands of a project that an agent needs. */
export interface ProjectCommands {
  /** The command that runs its tests. */
  readonly test: readonly string[] | undefined;
  /** The command that formats its code. */
  readonly format: readonly string[] | undefined;
}

const MAX_BYTES = 1_000_000;
const LOCKFILES = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'package-lock.json': 'npm' };
const FORMAT_SCRIPTS = ['format', 'fmt', 'fix', 'lint:fix'];

/**
 * Finds the commands of a project by its files: package.json, Cargo.toml, go.mod, pyproject.toml, a Makefile. Nothing is run.
 *
 * @example
 * ```ts
 * import { createWorkspace } from '@kernel/toolbox';
 * import { projectCommands } from '@kernel/toolbox/agents';
 *
 * const workspace = await createWorkspace({ root: process.cwd() });
 * const { test } = await projectCommands(workspace, AbortSignal.timeout(5000)); // such as ['pnpm', 'test']
 * ```
 */
export async function projectCommands(workspace: Workspace, signal: AbortSignal): Promise<ProjectCommands> {
  const read = (path: string): Promise<string | undefined> => readText(workspace, path, signal);
  const found = [
    await nodeCommands(read),
    (await read('Cargo.toml')) === undefined ? {} : { test: ['cargo', 'test'], format: ['cargo', 'fmt'] },
    (await read('go.mod')) === undefined ? {} : { test: ['go', 'test', './...'], format: ['gofmt', '-w', '.'] },
    await pythonCommands(read),
    /^test:/m.test((await read('Makefile')) ?? '') ? { test: ['make', 'test'] } : {},
  ] as readonly Partial<ProjectCommands>[];
  return {
    test: found.find(({ test }) => test !== undefined)?.test,
    format: found.find(({ format }) => format !== undefined)?.format,
  };
}

type Read = (path: string) => Promise<string | undefined>;

async function nodeCommands(read: Read): Promise<Partial<ProjectCommands>> {
  const scripts = scriptsOf(await read('package.json'));
  if (scripts === undefined) return {};
  let manager = 'npm';
  for (const [file, name] of Object.entries(LOCKFILES)) {
    // The first one that is there decides.
    if ((await read(file)) === undefined) continue;
    manager = name;
    break;
  }
  const format = FORMAT_SCRIPTS.find((name) => Object.hasOwn(scripts, name));
  return {
    ...(Object.hasOwn(scripts, 'test') ? { test: [manager, 'test'] } : {}),
    ...(format === undefined ? {} : { format: [manager, 'run', format] }),
  };
}

async function pythonCommands(read: Read): Promise<Partial<ProjectCommands>> {
  const project = await read('pyproject.toml');
  const isPytest = project?.includes('pytest') === true || (await read('pytest.ini')) !== undefined;
  const formatter = ['ruff', 'black'].find((name) => project?.includes(`[tool.${name}`));
  const format = { ruff: ['ruff', 'format'], black: ['black', '.'] }[formatter ?? ''];
  return { ...(isPytest ? { test: ['pytest'] } : {}), ...(format === undefined ? {} : { format }) };
}

function scriptsOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  const manifest = parseJson(text);
  const scripts = isObject(manifest) ? manifest['scripts'] : undefined;
  return isObject(scripts) ? scripts : {};
}

async function readText(workspace: Workspace, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { bytes } = await workspace.read(path, { length: MAX_BYTES, signal });
    return new TextDecoder().decode(bytes);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
