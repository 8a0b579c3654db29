import { join } from 'node:path';
import { visible, withoutQuery } from '@kernel/internal';
import type { McpPins, McpToolsChange } from '@kernel/mcp';
import type { Tool } from '@kernel/protocol';
import { stateFolder } from '../config/folders.ts';
import { changeState, readState } from '../config/state-file.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../output/escape.ts';
import type { Output } from '../output/output.ts';
import { hasTerminal } from '../questions/ask.ts';
import { confirm } from '../questions/question.ts';

const FILE = 'mcp-tools.json';

/** Loads the tools of servers as the user knows them: hashes of their definitions, kept between runs. */
export async function loadServerPins(given: string, host: Host, output: Output) {
  const path = join(stateFolder(host), FILE);
  // An address is kept without what stands in its query, which may be a key.
  const key = `${withoutQuery(given)} in ${host.cwd}`;
  const { damage, entries } = await readState(path, async () => (await import('../config/file-schemas.ts')).pinsSchema);
  if (damage !== undefined) output.alert(damage);
  return {
    /** The hashes of an earlier run; undefined at the first use. */
    known: entries.get(key),
    /** Asks about a change on a terminal; without one the changed tools are not offered. */
    async approve(change: McpToolsChange): Promise<boolean> {
      if (hasTerminal(host)) return confirm(host, output, describe(change, wholeTool), 'Use them?', host.signal);
      for (const line of describe(change, shortTool)) output.note(line);
      output.note('They are not used: start prompt-agent on a terminal to be asked.');
      return false;
    },
    save: (pins: McpPins): Promise<void> =>
      changeState(path, (json) => {
        const others = Object.entries(json).filter(([other]) => isWithoutQuery(other));
        return { ...Object.fromEntries(others), [key]: pins };
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
    ...added.flatMap((tool) => describeTool(`new: ${oneLine(tool.name, 80)}`, tool)),
    ...changed.flatMap(({ after, name }) => describeTool(`changed: ${oneLine(name, 80)}`, after)),
  ];
}

function shortTool(name: string, { description, effect = 'external' }: Tool): readonly string[] {
  return [`  ${name} (${effect}): ${oneLine(description, 300)}`];
}

/** All that a model reads of a tool: what is approved is what it will follow. Lines are indented, so that none passes for one of the question. */
function wholeTool(name: string, { description, effect = 'external', parameters, title }: Tool): readonly string[] {
  const texts = [...(title === undefined ? [] : [title]), description, JSON.stringify(parameters)];
  return [
    `  ${name} (${effect}):`,
    ...texts.flatMap((text) =>
      visible(text)
        .split('\n')
        .map((line) => `    ${line}`),
    ),
  ];
}
