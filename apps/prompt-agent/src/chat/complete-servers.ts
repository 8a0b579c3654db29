import type { McpContents } from '@kernel/mcp';
import type { AddedServers } from '../mcp-servers/added-servers.ts';

/** What completes what servers offer. Never rejects: what a server does not say is not completed. */
export interface ServerCompletion {
  /** `@server:` of each server, and below one its resources and templates. */
  mentions(typed: string): Promise<readonly string[]>;
  /** `/server:` of each server, and below one its prompts. */
  prompts(typed: string): Promise<readonly string[]>;
}

const MAX_WAIT_MS = 5000;
/** How many templates a server is asked about at once. */
const MAX_ASKED = 20;
/** How long a list is used, in milliseconds. */
const LIST_MS = 60_000;

/** Completes by what the servers that were added say. A server is connected to when the Tab key is pressed behind its name, and not before. */
export function completeServers(servers: () => Promise<AddedServers>): ServerCompletion {
  const lists = new Map<string, { readonly atMs: number; readonly list: Promise<readonly string[]> }>();
  /** A list of a server, which is asked for it once a minute. */
  const remembered = (key: string, load: () => Promise<readonly string[]>): Promise<readonly string[]> => {
    const known = lists.get(key);
    if (known !== undefined && performance.now() - known.atMs < LIST_MS) return known.list;
    const list = load();
    lists.set(key, { atMs: performance.now(), list });
    list.catch(() => lists.delete(key));
    return list;
  };
  const complete = async (
    typed: string,
    inside: (server: string, rest: string) => Promise<readonly string[]>,
  ): Promise<readonly string[]> => {
    const sign = typed.slice(0, 1);
    const [, name, rest = ''] = /^.([\w.-]{1,64}):(.*)$/s.exec(typed) ?? [];
    const { names } = await servers();
    if (name === undefined) return names.map((each) => `${sign}${each}:`);
    if (!names.includes(name)) return [];
    return (await inside(name, rest)).map((each) => `${sign}${name}:${each}`);
  };
  return {
    mentions: (typed) =>
      complete(typed, async (server, rest) => {
        const contents = await (await servers()).contents(server);
        const signal = AbortSignal.timeout(MAX_WAIT_MS);
        const [uris, templates] = await Promise.all([
          remembered(`resources ${server}`, async () =>
            (await contents.listResources({ server, signal })).map(({ uri }) => uri),
          ),
          remembered(`templates ${server}`, async () =>
            (await contents.listResourceTemplates({ server, signal })).map(({ uriTemplate }) => uriTemplate),
          ),
        ]);
        let left = MAX_ASKED;
        const askFew: McpContents['complete'] = async (completion, options) => {
          left -= 1;
          // What cannot be completed costs nothing else.
          return left < 0 ? [] : contents.complete(completion, options).catch(() => []);
        };
        const filled = await Promise.all(templates.map((each) => fillTemplate(askFew, server, each, rest, signal)));
        return [...uris.map((uri) => `${uri} `), ...filled.flat()].filter((each) => !/\s./.test(each));
      }),
    prompts: (typed) =>
      complete(typed, async (server) =>
        remembered(`prompts ${server}`, async () => {
          const contents = await (await servers()).contents(server);
          const found = await contents.listPrompts({ server, signal: AbortSignal.timeout(MAX_WAIT_MS) });
          return found.map(({ name }) => `${name} `).filter((each) => !/\s./.test(each));
        }),
      ),
  };
}

/** How an address that fits a template can go on: its next fixed text, or the values of the placeholder that is being typed. */
async function fillTemplate(
  complete: McpContents['complete'],
  server: string,
  template: string,
  typed: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const pieces = template.split(/[{}]/);
  const given: Record<string, string> = {};
  let done = '';
  for (let index = 0; index < pieces.length; index += 2) {
    const fixed = pieces[index] ?? '';
    const argument = pieces[index + 1];
    const rest = typed.slice(done.length);
    if (!rest.startsWith(fixed)) return fixed.startsWith(rest) ? [done + fixed] : [];
    done += fixed;
    // What begins with a sign is another kind of placeholder (RFC 6570), which nobody completes.
    if (argument === undefined || !/^[\w.]{1,100}$/.test(argument)) return [];
    const next = pieces[index + 2] ?? '';
    const value = typed.slice(done.length);
    const end = next === '' ? -1 : value.indexOf(next);
    if (end === -1) {
      // oxlint-disable-next-line no-await-in-loop -- ends the loop
      const values = await complete({ server, uriTemplate: template, argument, value, given }, { signal });
      return values.map((each) => done + each + (next === '' ? ' ' : next));
    }
    given[argument] = value.slice(0, end);
    done += value.slice(0, end);
  }
  return [];
}
