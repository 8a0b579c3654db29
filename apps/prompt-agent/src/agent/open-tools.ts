import { errorMessage } from '@kernel/internal';
import type { Toolset } from '@kernel/protocol';
import { createRegistry, type ToolRegistry } from '@kernel/tools';
import { openToolkit, type Toolkit, type ToolkitCall } from '../bundle/open-toolkit.ts';
import { checkTools } from '../options/check-ask.ts';
import { type AddedTools, loadAddedTools } from '../tools/index.ts';
import { usageError } from '../usage-error.ts';

/** The tools of an invocation: the built-in ones, those of the bundle and those of `--tools`. */
export interface OpenTools {
  /** The program's own tools, and what all are allowed. */
  readonly toolkit: Toolkit;
  /** All of them, each call checked by the rules of the flags. */
  readonly toolset: Toolset;
  /** Stops the servers and commands that run for them. */
  close(): Promise<void>;
}

/** Opens the tools and their servers. Rejects with a usage error that names the flag. */
export async function openTools(call: ToolkitCall): Promise<OpenTools> {
  checkTools(call.flags);
  const toolkit = await openToolkit(call);
  let added: AddedTools | undefined;
  const close = async (): Promise<void> => {
    await added?.close();
    await toolkit.close();
  };
  try {
    added = await addedTools(call);
    return { toolset: toolkit.guard(registryOf(toolkit.tools, added)), toolkit, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addedTools({ flags, host, output, signal }: ToolkitCall): Promise<AddedTools | undefined> {
  if (flags.tools === undefined) return undefined;
  const trusted = (flags['trust-hints'] ?? '').split(',').filter((name) => name !== '');
  return loadAddedTools({ given: flags.tools, trustHints: trusted, host, output, signal });
}

/** The most characters of a result that a model gets: what `read_file` may return, and a margin. */
const MAX_RESULT_LENGTH = 300_000;

/** Creates the registry. A taken or illegal name among the added tools is a usage error of `--tools`. */
function registryOf(builtIn: Toolkit['tools'], added: AddedTools | undefined): ToolRegistry {
  try {
    const registry = createRegistry([...builtIn, ...(added?.bindings ?? [])], { resultLimit: MAX_RESULT_LENGTH });
    if (added?.toolset !== undefined) registry.mount('', added.toolset); // its names have their prefixes already
    return registry;
  } catch (error) {
    throw usageError(`--tools: ${errorMessage(error)}`);
  }
}
