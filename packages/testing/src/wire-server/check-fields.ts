import { isObject } from '@kernel/internal';

/** A JSON object from outside. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; `undefined` for `null`, arrays and anything else. */
export function asFields(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined;
}

/** Returns what is wrong with a body of JSON; `known` are the only fields that it may have. */
export function problemsOf(
  body: unknown,
  known: readonly string[] | undefined,
  check: (fields: Fields, problems: string[]) => void,
): readonly string[] {
  const fields = asFields(body);
  if (fields === undefined) return ['the body is not a JSON object'];
  const problems: string[] = [];
  if (known !== undefined) onlyFields(fields, known, 'the body', problems);
  check(fields, problems);
  return problems;
}

export function checkModel({ model }: Fields, problems: string[]): void {
  if (typeof model !== 'string' || model === '') problems.push('model is missing');
}

/** The names that most vendors accept. */
export const PLAIN_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export function onlyFields(value: unknown, known: readonly string[], where: string, problems: string[]): void {
  const fields = asFields(value);
  if (fields === undefined) {
    problems.push(`${where} is not an object`);
    return;
  }
  for (const key of Object.keys(fields))
    if (!known.includes(key)) problems.push(`${where} has the unknown field "${key}"`);
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The blocks of a message's content: plain text counts as one block. */
export function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asList(content).map((block) => asFields(block) ?? {});
}

/** Checks the name and the object schema of a tool, and adds the name to `seen`. */
export function checkTool(name: unknown, schema: unknown, rule: RegExp, seen: Set<string>, problems: string[]): void {
  if (typeof name !== 'string' || !rule.test(name))
    problems.push(`a tool has the illegal name ${JSON.stringify(name)}`);
  else if (seen.has(name)) problems.push(`two tools are named "${name}"`);
  else seen.add(name);
  const fields = asFields(schema);
  if (fields?.['type'] !== 'object') problems.push(`the schema of ${String(name)} is not an object schema`);
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', '$ref'])
    if (fields?.[keyword] !== undefined) problems.push(`the schema of ${String(name)} has ${keyword} at its root`);
}

/** Checks a tool of the vendor's own, which has a type of its own and no schema, and adds its name to `seen`. */
export function checkServerTool(tool: Fields, seen: Set<string>, problems: string[]): void {
  const name = String(tool['name'] ?? tool['mcp_server_name'] ?? tool['server_label'] ?? tool['type']);
  if (seen.has(name)) problems.push(`two tools are named "${name}"`);
  seen.add(name);
}

/** Checks the fields of OpenAI's APIs about the prompt cache. */
export function checkPromptCache(fields: Fields, problems: string[]): void {
  const { prompt_cache_key: key, prompt_cache_options: options, prompt_cache_retention: retention } = fields;
  if (key !== undefined && (typeof key !== 'string' || key === '')) problems.push('prompt_cache_key is no text');
  if (retention !== undefined && retention !== 'in_memory' && retention !== '24h')
    problems.push('prompt_cache_retention is unknown');
  if (options !== undefined) onlyFields(options, ['mode', 'ttl'], 'prompt_cache_options', problems);
}

/** Whether a tool is one of the vendor's own: `plain` is the type of all others. */
export function isServerTool(tool: Fields, plain: string): boolean {
  return tool['type'] !== undefined && tool['type'] !== plain;
}

/** Checks that the two sides take turns, and that calls and the results in the next message correspond one to one. */
export function checkTurns(
  messages: readonly unknown[],
  read: (message: Fields) => {
    role: string;
    calls: readonly unknown[];
    results: readonly unknown[];
    resultsFirst: boolean;
  },
  problems: string[],
): void {
  let open: readonly unknown[] = [];
  let before = '';
  for (const [at, entry] of messages.entries()) {
    const { calls, results, resultsFirst, role } = read(asFields(entry) ?? {});
    if (role === before) problems.push(`messages[${at}] has the role "${role}" like the previous message`);
    before = role;
    for (const id of open)
      if (!results.includes(id)) problems.push(`the call ${String(id)} has no result in messages[${at}]`);
    for (const id of results)
      if (!open.includes(id)) problems.push(`messages[${at}] does not answer an open call: ${String(id)}`);
    if (new Set(results).size !== results.length) problems.push(`messages[${at}] answers a call twice`);
    if (!resultsFirst) problems.push(`messages[${at}] has other content before its results`);
    if (new Set(calls).size !== calls.length) problems.push(`messages[${at}] repeats the id of a call`);
    open = calls;
  }
  for (const id of open) problems.push(`the call ${String(id)} was not answered`);
}
