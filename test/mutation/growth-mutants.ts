import type { Mutant } from './mutant.ts';
import { TEXT_GROWTH_MUTANTS } from './text-growth-mutants.ts';
import { seenBy } from './seen-by.ts';

/** Faults that make linear work quadratic, or take its bound away: each is seen by counts. */
export const GROWTH_MUTANTS: readonly Mutant[] = [
  ...TEXT_GROWTH_MUTANTS,
  ...seenBy('packages/protocol/test', [
    [
      'packages/protocol/src/json-text/json-scan.ts',
      'const code = text.charCodeAt(index);',
      'const code = text.toLowerCase().charCodeAt(index);',
    ],
    [
      'packages/protocol/src/json-text/json-loss.ts',
      "at = text.indexOf(':', at + 1)",
      "at = text.toLowerCase().indexOf(':', at + 1)",
    ],
    [
      'packages/protocol/src/json-text/json-loss.ts',
      "if (typeof member === 'number' || typeof member === 'object') count",
      "if (typeof members.slice(0, index + 1).at(-1) === 'object' || typeof member === 'number') count",
    ],
    [
      'packages/protocol/src/tool-name.ts',
      'const code = text.charCodeAt(index);',
      'const code = text.toLowerCase().charCodeAt(index);',
    ],
    [
      'packages/protocol/src/json-text/json-scan.ts',
      'while (text.charCodeAt(first - 1) === 0x5c) first -= 1;',
      'while (text.normalize().charCodeAt(first - 1) === 0x5c) first -= 1;',
    ],
  ]),
  ...seenBy('packages/internal/test', [
    [
      'packages/internal/src/regex/linear.ts',
      'const character = characters[isBackward ? at - 1 : at]',
      'const character = characters.slice()[isBackward ? at - 1 : at]',
    ],
    [
      'packages/internal/src/regex/parse.ts',
      "let token = tokens[at]; token !== undefined && token !== '|'",
      "let token = tokens.slice()[at]; token !== undefined && token !== '|'",
    ],
    [
      'packages/internal/src/secret-search.ts',
      'shifts[blockAt(text, at)]',
      'shifts[blockAt(text.concat().normalize(), at)]',
    ],
    [
      'packages/internal/src/key-shapes.ts',
      'while (at < text.length && IN_KEY[text.charCodeAt(at)] === 1) at += 1;',
      'while (at < text.length && IN_KEY[text.normalize().charCodeAt(at)] === 1) at += 1;',
    ],
    [
      'packages/internal/src/key-shapes.ts',
      'while (at >= from && IN_KEY[text.charCodeAt(at)] === 1) at -= 1;',
      'while (at >= from && IN_KEY[text.normalize().charCodeAt(at)] === 1) at -= 1;',
    ],
  ]),
  ...seenBy('packages/schema/test', [
    ['packages/schema/src/validator/checks.ts', 'path.pointer ??= ', 'path.pointer = '],
    [
      'packages/schema/src/validator/references.ts',
      'memo.steps += 1;',
      'memo.steps += JSON.stringify(value).length > 0 ? 1 : 0;',
    ],
    ['packages/schema/src/validator/deep-freeze-copy.ts', 'MAX_NODES = 100_000', 'MAX_NODES = 100_000_000'],
    ['packages/schema/src/validator/deep-freeze-copy.ts', 'MAX_TEXT = 4_000_000', 'MAX_TEXT = 4_000_000_000'],
  ]),
  ...seenBy('packages/tools/test', [
    [
      'packages/internal/src/nearest.ts',
      '  for (const candidate of known) {',
      `  const seen: string[] = [];
  for (const candidate of known) {
    if (seen.includes(candidate)) continue;
    seen.push(candidate);
`,
    ],
    [
      'packages/schema/src/coerce/copy-on-write.ts',
      'if (copies.has(value)) return value;',
      'if (copies.has(value)) return JSON.parse(JSON.stringify(value)) as object;',
    ],
    [
      'packages/schema/src/arguments/json-error-position.ts',
      `    const code = text.charCodeAt(index);
    if (code === 0x22)`,
      `    const code = text.normalize().charCodeAt(index);
    if (code === 0x22)`,
    ],
    [
      'packages/tools/src/call/failure-text.ts',
      `    const [path] = match;
`,
      `    const path = match[0] + word.normalize().slice(0, 0);
`,
    ],
    [
      'packages/tools/src/registry/registration.ts',
      '(names.has(name) || isTaken(name))',
      '([...names].includes(name) || isTaken(name))',
    ],
    ['packages/tools/src/grammar/budget.ts', 'MAX_GROWTH = 20_000', 'MAX_GROWTH = 2_000_000'],
    [
      'packages/tools/src/grammar/to-gbnf.ts',
      'if (cached !== undefined) return cached;',
      'if (cached !== undefined && byOptions.size > 1) return cached;',
    ],
    ['packages/schema/src/validator/checks.ts', 'path.pointer ??= ', 'path.pointer = '],
    [
      'packages/protocol/src/json-text/json-loss.ts',
      "if (typeof member === 'number' || typeof member === 'object') count",
      "if (typeof members.slice(0, index + 1).at(-1) === 'object' || typeof member === 'number') count",
    ],
    [
      'packages/tools/src/registry/entries.ts',
      '(list ??= lists.listFor(results))',
      '[...entries.values()].map(({ binding }) => binding.tool)',
    ],
    [
      'packages/schema/src/validator/objects.ts',
      'if (item === undefined || !Object.hasOwn(value, key)) continue;',
      'if (item === undefined || !Object.keys(value).includes(key)) continue;',
    ],
  ]),
  ...seenBy('packages/agent/test', [
    ['packages/internal/src/json.ts', 'canonicalJson(value[key])', 'canonicalJson({ ...value }[key])'],
    [
      'packages/internal/src/well-formed.ts',
      'if (!isSound(value[at], depth + 1)) return false;',
      'if (!isSound([...value][at], depth + 1)) return false;',
    ],
    [
      'packages/agent/src/config/expand-variables.ts',
      'const variable = Object.hasOwn(env, name) ? env[name] : undefined;',
      "const variable = value.normalize() !== '' && Object.hasOwn(env, name) ? env[name] : undefined;",
    ],
    [
      'packages/agent/src/config/duration.ts',
      'total += Number(count)',
      "total += value.normalize() === '' ? 0 : Number(count)",
    ],
    [
      'packages/agent/src/session/log-format.ts',
      "  const withoutNul = line.replaceAll('\\0', '');",
      "  const withoutNul = line.replaceAll('\\0', '') + ' '.repeat(number).slice(0, 0);",
    ],
    [
      'packages/agent/src/history/repair-history.ts',
      "    if (message.role === 'tool') continue;",
      "    if (messages.slice(0, index + 1).at(-1)?.role === 'tool') continue;",
    ],
    [
      'packages/agent/src/history/call-ids.ts',
      'while (used.has(`call_${next}`)',
      'while ([...used].includes(`call_${next}`)',
    ],
    ['packages/agent/src/limits/loop-guard.ts', 'turn.push(entry);', 'turn.splice(0, turn.length, ...turn, entry);'],
    [
      'packages/agent/src/web/http/byte-stream.ts',
      '  const iterator = texts[Symbol.asyncIterator]();',
      `  const sent: unknown[] = [];
  const iterator = (async function* all() {
    for await (const text of texts) {
      sent.splice(0, sent.length, ...sent, text);
      yield text;
    }
  })();`,
    ],
    [
      'packages/agent/src/output/json-pieces.ts',
      `    const char = text[index];
    if (char === '"' && open.length > 0`,
      `    const char = text.normalize()[index];
    if (char === '"' && open.length > 0`,
    ],
  ]),
  ...seenBy('packages/mcp/test', [
    [
      'packages/internal/src/visible.ts',
      'replaceAll(HIDDEN, escapeCharacter)',
      'replaceAll(HIDDEN, (each) => escapeCharacter(each) + text.normalize().slice(0, 0))',
    ],
    [
      'packages/schema/src/validator/arrays.ts',
      'const check = prefix[index] ?? other;',
      'const check = prefix[index] ?? (value.slice(0, index + 1).length === 0 ? undefined : other);',
    ],
    [
      'packages/schema/src/validator/arrays.ts',
      `  const texts = new Set<string>();
  for (const item of items) {
    const text = canonicalJson(item);
    if (texts.has(text)) return false;
    texts.add(text);`,
      `  const texts: string[] = [];
  for (const item of items) {
    const text = canonicalJson(item);
    if (texts.includes(text)) return false;
    texts.push(text);`,
    ],
    [
      'packages/schema/src/validator/arrays.ts',
      'if (!passes(check, item, validation)) continue;',
      'if (!passes(check, value.slice(0, index + 1).at(-1) ?? item, validation)) continue;',
    ],
    [
      'packages/schema/src/validator/objects.ts',
      '      if (passes(check, key, validation)) continue;',
      '      if (passes(check, Object.keys(value).find((name) => name === key) ?? key, validation)) continue;',
    ],
    [
      'packages/mcp/src/client/calls/tool-result.ts',
      'texts.push(part);',
      'texts.splice(0, texts.length, ...texts, part);',
    ],
    [
      'packages/mcp/src/stdio/split-lines.ts',
      '      parts.push(part);',
      '      parts = [Buffer.concat([...parts, part])];',
    ],
    [
      'packages/mcp/src/stdio/split-lines.ts',
      `at = chunk.indexOf(NEWLINE, from)) {
      add(`,
      `at = Buffer.from(chunk).indexOf(NEWLINE, from)) {
      add(`,
    ],
    [
      'packages/mcp/src/client/tools/remote-tool.ts',
      'if (isMap) return [key, visibleSchema(value)];',
      'if (isMap) return [key, visibleSchema({ ...schema }[key])];',
    ],
    [
      'packages/mcp/src/client/config.ts',
      'return disabled ? [] : [readServer(name, entry)];',
      'return disabled ? [] : [readServer(name, { ...({ ...servers }[name] as Entry) })];',
    ],
    [
      'packages/mcp/src/client/config.ts',
      "!args.every((arg) => typeof arg === 'string')",
      "!args.every((_, at) => typeof [...args][at] === 'string')",
    ],
    ['packages/mcp/src/client/config.ts', '      return [each, text];', '      return [each, { ...value }[each]];'],
    [
      'packages/protocol/src/tool-name.ts',
      'isToolName(plain) && !taken.has(plain)',
      'isToolName(plain) && ![...(taken as Set<string>)].includes(plain)',
    ],
  ]),
  ...seenBy('packages/mcp/test/client', [
    [
      'packages/mcp/src/client/transport/ordered-delivery.ts',
      `      head += 1;
`,
      `      waiting = waiting.slice(1);
`,
    ],
    [
      'packages/mcp/src/client/connection/list-tools.ts',
      'entries.push(entry);',
      'entries.splice(0, entries.length, ...entries, entry);',
    ],
    [
      'packages/internal/src/visible.ts',
      'replaceAll(HIDDEN, escapeCharacter)',
      'replaceAll(HIDDEN, (each) => escapeCharacter(each) + text.normalize().slice(0, 0)) ',
    ],
    [
      'packages/schema/src/validator/arrays.ts',
      `  const texts = new Set<string>();
  for (const item of items) {
    const text = canonicalJson(item);
    if (texts.has(text)) return false;
    texts.add(text);`,
      `  const texts: string[] = [];
  for (const item of items) {
    const text = canonicalJson(item);
    if (texts.includes(text)) return false;
    texts.push(text); `,
    ],
    [
      'packages/mcp/src/client/transport/limit-fetch.ts',
      `    length += chunk.length;
`,
      `    length = Buffer.concat([...chunks, chunk]).length;
`,
    ],
  ]),
];
