import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { ToolBinding } from '@kernel/tools';
import { usageError } from '../exit-code.ts';

/**
 * Loads a module of tools: an ES module whose default export, or export `tools`, is a list of bindings from `defineTool` and `bindTool` of
 * `@kernel/tools`, which need not be installed beside it. Runs the module. Throws a usage error that names the file and the entry.
 */
export async function loadModuleTools(file: string, cwd: string): Promise<readonly ToolBinding[]> {
  providePackages();
  const loaded: unknown = await import(pathToFileURL(resolve(cwd, file)).href).catch((error: unknown) => {
    const [why] = errorMessage(error).split('\n');
    const hint = KernelError.is(error) && error.hint !== undefined ? ` ${error.hint}` : '';
    throw usageError(`--tools: "${file}" cannot be loaded: ${why ?? ''}${hint}`);
  });
  const list = [field(loaded, 'default'), field(loaded, 'tools')].find((value) => Array.isArray(value));
  if (list === undefined)
    throw usageError(`--tools: "${file}" exports no list of tools, either as its default or as "tools".`);
  return list.map((entry: unknown, index) => {
    if (isBinding(entry)) return entry;
    throw usageError(
      `--tools: entry ${index} of "${file}" was not created by defineTool or bindTool of @kernel/tools.`,
    );
  });
}

function isBinding(value: unknown): value is ToolBinding {
  if (typeof value !== 'object' || value === null) return false;
  const { tool, handler, input } = value as Partial<Record<keyof ToolBinding, unknown>>;
  return isObject(tool) && typeof handler === 'function' && isObject(input);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

const PROVIDED = /^@kernel\/(?:tools|toolbox|protocol|schema)(?:\/|$)/;

let isProvided = false;

/**
 * Lets modules that are imported from now on import the packages that come with the program, where they are not installed beside the module itself. What is
 * installed there goes first.
 */
function providePackages(): void {
  if (isProvided) return;
  isProvided = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!PROVIDED.test(specifier)) throw error;
        return fromProgram(specifier, context, next) ?? raise(error);
      }
    },
  });
}

type Resolve = Parameters<NonNullable<Parameters<typeof registerHooks>[0]['resolve']>>;

/** What the specifier means in a file of the program; `undefined` if nothing. */
function fromProgram(specifier: string, context: Resolve[1], next: Resolve[2]): ReturnType<Resolve[2]> | undefined {
  try {
    return next(specifier, { ...context, parentURL: import.meta.url });
  } catch {
    return undefined;
  }
}

function raise(error: unknown): never {
  throw error;
}
