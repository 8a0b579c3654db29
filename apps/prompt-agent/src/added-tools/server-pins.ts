import { join } from 'node:path';
import type { McpPins, McpToolsChange } from '@kernel/mcp';
import { stateFolder } from '../config/folders.ts';
import { readState, writeState } from '../config/state-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../render/escape.ts';
import type { Output } from '../render/output.ts';
import { hasTerminal } from '../terminal/ask.ts';
import { confirm } from '../terminal/confirm.ts';

/** The tools of servers as the user knows them: hashes of their definitions, kept between runs. */
export interface ServerPins {
  /** The hashes of an earlier run; undefined at the first use. */
  readonly known: McpPins | undefined;
  /** Asks about a change on a terminal; without one the changed tools are not offered. */
  approve(change: McpToolsChange): Promise<boolean>;
  /** Keeps the hashes for the next run. */
  save(pins: McpPins): Promise<void>;
}

const FILE = 'mcp-tools.json';

/** Loads what is known of the servers that `--tools` names in this way. */
export async function loadServerPins(given: string, host: Host, output: Output): Promise<ServerPins> {
  const path = join(stateFolder(host), FILE);
  const key = `${given} in ${host.cwd}`;
  const state = await readState(path);
  return {
    known: isPins(state[key]) ? state[key] : undefined,
    async approve(change) {
      const lines = describe(change);
      if (hasTerminal(host)) return confirm(host, output, lines, 'Use them?', host.signal);
      for (const line of lines) output.note(line);
      output.note('They are not used: start prompt-agent on a terminal to be asked.');
      return false;
    },
    // Read once more: another process may have written meanwhile.
    save: async (pins) => writeState(path, { ...(await readState(path)), [key]: pins }),
  };
}

function describe({ added, changed, server }: McpToolsChange): readonly string[] {
  return [
    `The tools of the server "${oneLine(server, 80)}" are not those that you used before:`,
    ...added.map(
      (tool) => `  new: ${oneLine(tool.name, 80)} (${tool.effect ?? 'external'}): ${oneLine(tool.description, 300)}`,
    ),
    ...changed.map(
      ({ after, name }) =>
        `  changed: ${oneLine(name, 80)} (${after.effect ?? 'external'}): ${oneLine(after.description, 300)}`,
    ),
  ];
}

function isPins(value: unknown): value is McpPins {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (hashes: unknown) =>
        typeof hashes === 'object' &&
        hashes !== null &&
        Object.values(hashes).every((hash) => typeof hash === 'string'),
    )
  );
}
