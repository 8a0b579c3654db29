import { KernelError, type ToolMetadata } from '@kernel/protocol';
import { type ToolBundle, defineBundle } from '../bundle.ts';
import type { ToolRegistry } from './registry.ts';
import { isSchemaObject } from '../schema/schema-index.ts';

/** What is kept of one tool: only what differs from how it was registered, but for `hidden`. */
export interface SavedTool {
  readonly enabled: boolean;
  readonly hidden: boolean;
  /** Metadata that was set over the tool's own. */
  readonly metadata?: ToolMetadata;
}

/** What `loadRegistry` found. */
export interface LoadedRegistry {
  /** Names in the file that nothing is registered under; their state was left alone. */
  readonly unknown: readonly string[];
  readonly bundles: readonly ToolBundle[];
}

const VERSION = 1;

/**
 * Writes which tools are enabled and hidden, metadata overrides and bundles to a file, as versioned JSON.
 *
 * Atomic: the text goes to a neighbour first and is then renamed, so that a crash leaves the old file or the new one.
 */
export async function saveRegistry(
  registry: ToolRegistry,
  file: string,
  options: { readonly bundles?: readonly ToolBundle[] | undefined } = {},
): Promise<void> {
  const { open, realpath, rename, rm } = process.getBuiltinModule('node:fs/promises');
  const state = { version: VERSION, tools: Object.fromEntries(registry.state()), bundles: options.bundles ?? [] };
  // Through a symbolic link the file behind it is replaced, and the link stays.
  const target = await realpath(file).catch(() => file);
  const neighbour = `${target}.${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}.tmp`;
  try {
    const handle = await open(neighbour, 'wx');
    try {
      await handle.writeFile(`${JSON.stringify(state, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(neighbour, target);
  } catch (error) {
    await rm(neighbour, { force: true });
    throw error;
  }
}

/**
 * Brings a registry to the state that a file holds. Names without a binding are reported, not an error.
 *
 * Throws `CONFIG_INVALID` for a file that is missing, broken, damaged or of a newer version; the registry and the file then stay as they were.
 */
export async function loadRegistry(registry: ToolRegistry, file: string): Promise<LoadedRegistry> {
  const text = await readText(file);
  const saved = readState(text, file);
  const unknown = registry.restore(saved.tools);
  return { unknown, bundles: saved.bundles };
}

async function readText(file: string): Promise<string> {
  try {
    return await process.getBuiltinModule('node:fs/promises').readFile(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new KernelError(
      'CONFIG_INVALID',
      `The registry file "${file}" ${isMissing ? 'is missing' : 'cannot be read'}.`,
      {
        hint: 'Nothing was changed. Save the registry there first.',
        data: { file },
        cause: error,
      },
    );
  }
}

function readState(
  text: string,
  file: string,
): { readonly tools: ReadonlyMap<string, SavedTool>; readonly bundles: readonly ToolBundle[] } {
  const broken = (problem: string, cause?: unknown): KernelError =>
    new KernelError('CONFIG_INVALID', `The registry file "${file}" ${problem}.`, {
      hint: 'Nothing was changed. Mend the file or save the registry anew.',
      data: { file },
      ...(cause === undefined ? {} : { cause }),
    });
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch (error) {
    throw broken('is no JSON', error);
  }
  if (!isSchemaObject(state)) throw broken('holds no JSON object');
  const { version, tools, bundles } = state;
  if (typeof version !== 'number') throw broken('has no version');
  if (!Number.isInteger(version) || version < 1) throw broken(`has the version ${version}, which there is none of`);
  if (version > VERSION) throw broken(`is of version ${version}, and this program reads up to ${VERSION}`);
  if (!isSchemaObject(tools)) throw broken('has no "tools" object');
  if (!Array.isArray(bundles)) throw broken('has no "bundles" list');
  const known = new Map<string, SavedTool>();
  for (const [name, tool] of Object.entries(tools)) {
    if (!isSavedTool(tool)) throw broken(`has a wrong entry at "/tools/${name}"`);
    known.set(name, tool);
  }
  return {
    tools: known,
    bundles: bundles.map((bundle: unknown, index) =>
      readBundle(bundle, () => broken(`has a wrong entry at "/bundles/${index}"`)),
    ),
  };
}

function isSavedTool(value: unknown): value is SavedTool {
  if (!isSchemaObject(value) || typeof value['enabled'] !== 'boolean' || typeof value['hidden'] !== 'boolean')
    return false;
  return value['metadata'] === undefined || isSchemaObject(value['metadata']);
}

function readBundle(value: unknown, broken: () => KernelError): ToolBundle {
  if (!isSchemaObject(value)) throw broken();
  const { name, description, required, optional, bundles = [] } = value;
  if (
    typeof name !== 'string' ||
    typeof description !== 'string' ||
    !isNames(required) ||
    !isNames(optional) ||
    !Array.isArray(bundles)
  )
    throw broken();
  const inner = bundles.map((bundle: unknown) => readBundle(bundle, broken));
  return defineBundle({ name, description, required, optional, ...(inner.length === 0 ? {} : { bundles: inner }) });
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
