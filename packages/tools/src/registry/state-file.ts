import { isObject, node, nodeModule, errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { type ToolBundle, defineBundle } from '../bundle.ts';
import type { SavedTool, ToolRegistry } from './types.ts';

/** What `loadRegistry` loaded. */
export interface LoadedRegistry {
  /** Names in the file that are not registered; their state was ignored. */
  readonly unknown: readonly string[];
  /** The bundles in the file. */
  readonly bundles: readonly ToolBundle[];
}

const VERSION = 1;

/**
 * Saves which tools are enabled and hidden, overridden metadata and bundles to a file, as versioned JSON.
 *
 * The write is atomic: a temporary file beside it is renamed, so that a crash leaves the old file or the new one.
 * Throws `STORE_FAILED` if it cannot be written.
 */
export async function saveRegistry(
  registry: Pick<ToolRegistry, 'state'>,
  file: string,
  options: {
    /** The bundles to save. Default: none. */
    readonly bundles?: readonly ToolBundle[] | undefined;
  } = {},
): Promise<void> {
  const { open, realpath, rename, rm } = fileSystem();
  const state = { version: VERSION, tools: Object.fromEntries(registry.state()), bundles: options.bundles ?? [] };
  // Of a symbolic link, the target is replaced and the link stays.
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${node.process?.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}.tmp`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(`${JSON.stringify(state, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    const why = errorMessage(error);
    throw new KernelError('STORE_FAILED', `The registry file "${file}" could not be written: ${why}`, {
      hint: 'The old file is unchanged. Check the folder, its permissions and the space on the disk.',
      data: { file },
      cause: error,
    });
  }
}

/**
 * Restores the state in a file. Names that are not registered are returned, which is not an error.
 *
 * Throws `CONFIG_INVALID` for a file that is missing, invalid or of a newer version; registry and file then stay as they were.
 */
export async function loadRegistry(registry: Pick<ToolRegistry, 'restore'>, file: string): Promise<LoadedRegistry> {
  const text = await readText(file);
  const { tools, bundles } = parseState(text, file);
  return { unknown: registry.restore(tools), bundles };
}

function fileSystem(): NonNullable<ReturnType<typeof nodeModule<'node:fs/promises'>>> {
  const module = nodeModule('node:fs/promises');
  if (module !== undefined) return module;
  throw new KernelError('STORE_FAILED', 'A registry file needs a file system, which this runtime has not.', {
    hint: 'Keep registry.state() where the runtime keeps data, and restore() it.',
  });
}

async function readText(file: string): Promise<string> {
  const { readFile } = fileSystem();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new KernelError(
      'CONFIG_INVALID',
      `The registry file "${file}" ${isMissing ? 'is missing' : 'cannot be read'}.`,
      {
        hint: 'Nothing was changed. Save the registry to this file first.',
        data: { file },
        cause: error,
      },
    );
  }
}

function parseState(
  text: string,
  file: string,
): { readonly tools: ReadonlyMap<string, SavedTool>; readonly bundles: readonly ToolBundle[] } {
  const invalid = (problem: string, cause?: unknown): KernelError =>
    new KernelError('CONFIG_INVALID', `The registry file "${file}" ${problem}.`, {
      hint: 'Nothing was changed. Correct the file or save the registry again.',
      data: { file },
      ...(cause === undefined ? {} : { cause }),
    });
  let state: unknown;
  try {
    state = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw invalid('is not valid JSON', error);
  }
  if (!isObject(state)) throw invalid('does not hold a JSON object');
  const { version, tools, bundles } = state;
  if (typeof version !== 'number') throw invalid('has no version');
  if (!Number.isInteger(version) || version < 1) throw invalid(`has the version ${version}, which does not exist`);
  if (version > VERSION) throw invalid(`has version ${version}, but this program only reads up to ${VERSION}`);
  if (!isObject(tools)) throw invalid('has no "tools" object');
  if (!Array.isArray(bundles)) throw invalid('has no "bundles" list');
  const savedTools = new Map<string, SavedTool>();
  for (const [name, tool] of Object.entries(tools)) {
    if (!isSavedTool(tool)) throw invalid(`has an invalid entry at "/tools/${name}"`);
    savedTools.set(name, tool);
  }
  return {
    tools: savedTools,
    bundles: bundles.map((bundle: unknown, index) =>
      parseBundle(bundle, () => invalid(`has an invalid entry at "/bundles/${index}"`)),
    ),
  };
}

function isSavedTool(value: unknown): value is SavedTool {
  if (!isObject(value) || typeof value['enabled'] !== 'boolean' || typeof value['hidden'] !== 'boolean') return false;
  return value['metadata'] === undefined || isObject(value['metadata']);
}

function parseBundle(value: unknown, invalid: () => KernelError): ToolBundle {
  if (!isObject(value)) throw invalid();
  const { name, description, required, optional, bundles = [] } = value;
  if (
    typeof name !== 'string' ||
    typeof description !== 'string' ||
    !isNames(required) ||
    !isNames(optional) ||
    !Array.isArray(bundles)
  )
    throw invalid();
  const inner = bundles.map((bundle: unknown) => parseBundle(bundle, invalid));
  return defineBundle({ name, description, required, optional, ...(inner.length === 0 ? {} : { bundles: inner }) });
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
