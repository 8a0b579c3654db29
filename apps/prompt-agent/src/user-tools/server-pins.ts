import { join } from 'node:path';
import { visible, withoutQuery } from '@kernel/internal';
import type { McpPins, McpToolsChange } from '@kernel/mcp';
import type { Tool } from '@kernel/protocol';
import { stateFolder } from '../config/folders.ts';
import { changeState, readState } from '../config/state-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import type { AddedServer } from '../mcp-servers/server-files.ts';
import type { Output } from '../output/output.ts';
import { canConfirm } from '../questions/ask.ts';
import { confirm } from '../questions/question.ts';

const FILE = 'mcp-tools.json';

export type ServerPins = Awaited<ReturnType<typeof loadServerPins>>;

/** Where the tools of a server that was added are kept, whatever other servers are used beside it. */
export function pinKeyOf({ name, scope, path }: Pick<AddedServer, 'name' | 'scope' | 'path'>): string {
  return scope === 'user' ? `${name} of mcp.json` : `${name} in ${path}`;
}

/** The hashes of the tools that a server that was added had at its last use; undefined before its first one. */
export async function pinsOf(server: AddedServer, host: Host, output: Output): Promise<McpPins[string] | undefined> {
  const { known } = await loadServerPins(() => pinKeyOf(server), host, output);
  return known?.[server.name];
}

/** Forgets the tools of a server that was removed: another one of its name is a new one. */
export async function forgetPins(server: AddedServer, host: Host): Promise<void> {
  await changeState(join(stateFolder(host), FILE), (json) => {
    const { [pinKeyOf(server)]: _old, ...rest } = json;
    return rest;
  });
}

/**
 * Loads the tools of servers as the user knows them: hashes of their definitions, kept between runs under the keys of the servers. With `acceptsFirst` those of a
 * server that was not used before are taken as they are, also beside servers that were.
 */
export async function loadServerPins(
  keyOf: (server: string) => string,
  host: Host,
  output: Output,
  acceptsFirst = false,
) {
  const path = join(stateFolder(host), FILE);
  const { damage, entries } = await readState(path, async () => (await import('../config/file-schemas.ts')).pinsSchema);
  if (damage !== undefined) output.alert(damage);
  const found = [...entries].flatMap(([key, pins]) => Object.entries(pins).filter(([server]) => keyOf(server) === key));
  const isKnown = found.length > 0 || entries.has(keyOf(''));
  const known: McpPins | undefined = isKnown ? Object.fromEntries(found) : undefined;
  const accepted = new Set(found.map(([server]) => server));
  return {
    /** The hashes of an earlier run; undefined at the first use. */
    known,
    /** Asks about a change on a terminal; without one the changed tools are not offered. */
    async approve(change: McpToolsChange): Promise<boolean> {
      const isFirst = acceptsFirst && !accepted.has(change.server);
      accepted.add(change.server);
      if (isFirst) return true;
      if (canConfirm(host)) return confirm(host, output, describe(change, wholeTool), 'Use them?', host.signal);
      for (const line of describe(change, shortTool)) output.note(line);
      output.note('They are not used: start prompt-agent on a terminal to be asked.');
      return false;
    },
    save: (pins: McpPins): Promise<void> =>
      changeState(path, (json) => {
        const others = Object.entries(json).filter(([other]) => isWithoutQuery(other));
        const byKey = Map.groupBy(Object.entries(pins), ([server]) => keyOf(server));
        const changed = [...byKey].map(([key, entry]) => [key, Object.fromEntries(entry)]);
        return { ...Object.fromEntries(others), ...Object.fromEntries(changed) };
      }),
  };
}

/** Whether an entry, which an earlier release may have written, has nothing of a query. */
function isWithoutQuery(key: string): boolean {
  const [address = ''] = key.split(' in ', 1);
  return withoutQuery(address) === address;
}

function describe(
  { added, changed, server }: McpToolsChange,
  describeTool: (name: string, tool: Tool) => readonly string[],
): readonly string[] {
  return [
    `The tools of the server "${oneLine(server, 80)}" are not those that you used before:`,
    ...added.flatMap((tool) => describeTool(`new: ${visible(tool.name)}`, tool)),
    ...changed.flatMap(({ after, name }) => describeTool(`changed: ${visible(name)}`, after)),
  ];
}

function shortTool(name: string, { description, effect = 'external' }: Tool): readonly string[] {
  return [`  ${name} (${effect}): ${oneLine(description, 300)}`];
}

/** All that a model reads of a tool: what is approved is what it will follow. Lines are indented, so that none passes for one of the question. */
function wholeTool(name: string, tool: Tool): readonly string[] {
  const { description, effect = 'external', parameters, title, outputSchema, metadata } = tool;
  const texts = [
    title,
    description,
    ...[parameters, outputSchema, metadata].map((part) => part && JSON.stringify(part)),
  ];
  return [
    `  ${name} (${effect}):`,
    ...texts
      .filter((text) => text !== undefined)
      .flatMap((text) =>
        visible(text)
          .split('\n')
          .map((line) => `    ${line}`),
      ),
  ];
}
