import type { ToolWithHandler } from '@kernel/protocol';
import { usageError } from '../exit-code.ts';
import type { Output } from '../output/output.ts';

/** The longest that a command may take, in milliseconds. */
export const COMMAND_MS = 120_000;

/** The isolation of `--sandbox`. Rejects with a usage error for `required` where there is none. */
export async function isolationFor(sandbox = 'auto'): Promise<'auto' | 'required' | 'none'> {
  if (sandbox === 'off') return 'none';
  if (sandbox !== 'required') return 'auto';
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  const found = await detectIsolation();
  if (found.isolation !== undefined) return 'required';
  throw usageError(
    `--sandbox required: nothing isolates commands here. ${found.reason} ${found.hint} Or give --sandbox auto, which says so in each result.`,
  );
}

/** What isolates commands here; undefined if nothing does. */
export async function isolationName(sandbox = 'auto'): Promise<string | undefined> {
  if (sandbox === 'off') return undefined;
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  return (await detectIsolation()).isolation?.name;
}

const told = new WeakSet<AbortSignal>();

/** Has `run_command` tell the user, once, when it runs without the wanted isolation. Returns other tools as they are. */
export function tellOfIsolation(
  binding: ToolWithHandler,
  sandbox: string | undefined,
  { alert, closed }: Pick<Output, 'alert' | 'closed'>,
): ToolWithHandler {
  if (binding.tool.name !== 'run_command' || sandbox === 'off') return binding;
  return {
    ...binding,
    handler: async (input, context) => {
      if (!told.has(closed) && (await isolationName(sandbox)) === undefined) {
        told.add(closed);
        alert('note: nothing isolates commands here, so they run with all your rights; prompt-agent doctor says why');
      }
      return binding.handler(input, context);
    },
  };
}
