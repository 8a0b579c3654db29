import type { Mutant } from './mutant.ts';

/** A source, the text in it, and what makes its work quadratic, or takes its bound away. */
type Row = readonly [file: string, find: string, replace: string];

/** The mutants that the growth tests in a folder see. */
const seenBy = (folder: string, rows: readonly Row[]): readonly Mutant[] =>
  rows.map(([file, find, replace]) => ({
    name: `${folder} counts the work of ${file}: ${replace.trim()}`,
    project: 'growth',
    tests: [`${folder}/growth.slow.test.ts`],
    file,
    find,
    replace,
  }));

/** Faults that make linear work quadratic, or take its bound away: each is seen by counts. */
export const GROWTH_MUTANTS: readonly Mutant[] = [
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
    ['packages/schema/src/validator/inspect-schema.ts', 'MAX_COST = 50_000', 'MAX_COST = 50_000_000'],
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
      `    if (copies.has(value)) return value;
`,
      '',
    ],
    [
      'packages/schema/src/arguments/json-error-position.ts',
      `    const code = text.charCodeAt(index);
    if (code === 0x22)`,
      `    const code = text.normalize().charCodeAt(index);
    if (code === 0x22)`,
    ],
    [
      'packages/schema/src/validator/patterns/pattern-shape.ts',
      'const before = closed;',
      'const before = tokens.slice(0, index).length < 0 ? undefined : closed;',
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
      'packages/schema/src/validator/schema-index.ts',
      'isSchema(child) ? [[name, child] as const]',
      'Object.keys(value).includes(name) && isSchema(child) ? [[name, child] as const]',
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
  ]),
  ...seenBy('packages/providers/test', [
    [
      'packages/providers/src/text-tools/json-text.ts',
      `        const code = text.charCodeAt(at);
        if (escaped)`,
      `        const code = text.normalize().charCodeAt(at);
        if (escaped)`,
    ],
    [
      'packages/providers/src/text-tools/scanner.ts',
      `      if (buffer.length - examinedLength < (examinedLength - ALWAYS_EXAMINED_LENGTH) / 16) return;
`,
      '',
    ],
    [
      'packages/providers/src/text-tools/scanner.ts',
      'falseMarks > MAX_FALSE_MARKS || falseLength > MAX_FALSE_LENGTH',
      'falseMarks > 10 * buffer.length + MAX_FALSE_LENGTH',
    ],
    [
      'packages/providers/src/text-tools/scanner.ts',
      'boundaryText += mark;',
      'boundaryText = (boundaryText + mark).normalize();',
    ],
    [
      'packages/providers/src/text-tools/gemma-literal.ts',
      `        const character = text.charAt(at);
        if (quote === QUOTE)`,
      `        const character = text.normalize().charAt(at);
        if (quote === QUOTE)`,
    ],
    [
      'packages/providers/src/text-tools/formats/llama.ts',
      `      const character = text.charAt(at);
      if (quote !== '')`,
      `      const character = text.normalize().charAt(at);
      if (quote !== '')`,
    ],
    [
      'packages/providers/src/text-tools/json-text.ts',
      'while (at < text.length && text.charCodeAt(at) !== 0x22) at +=',
      'while (at < text.length && text.normalize().charCodeAt(at) !== 0x22) at +=',
    ],
    ['packages/internal/src/secret-search.ts', 'shifts[blockAt(text, at)]', 'shifts[blockAt(text.normalize(), at)]'],
    [
      'packages/providers/src/text-tools/prompts.ts',
      '  return text.replaceAll(TOKEN_START, (first) => `${first}\\\\`);',
      '  return text.replaceAll(TOKEN_START, (first) => `${first}\\\\${text.normalize().slice(0, 0)}`);',
    ],
    [
      'packages/providers/src/config/base-url.ts',
      "url.pathname.replace(/(?<!\\/)\\/+$/, '')",
      "url.pathname.replace(/\\/+$/, '')",
    ],
  ]),
  ...seenBy('packages/providers/test/wire', [
    [
      'packages/providers/src/stream/sse.ts',
      `    chunks.push(chunk);
`,
      `    chunks = [chunks.concat(chunk).join('').normalize()];
`,
    ],
    [
      'packages/providers/src/wire/message-builder.ts',
      'text.citations.read.push(citation);',
      'text.citations.read = text.citations.read.concat(citation);',
    ],
    ['packages/providers/src/schema-dialects/budget.ts', 'MAX_GROWTH = 20_000', 'MAX_GROWTH = 2_000_000'],
    [
      'packages/protocol/src/json-text/json-scan.ts',
      'const code = text.charCodeAt(index);',
      'const code = text.normalize().charCodeAt(index);',
    ],
  ]),
  ...seenBy('packages/toolbox/test', [
    [
      'packages/toolbox/src/files/edit/line-diff.ts',
      "at = text.indexOf('\\n', at + 1)) line += 1;",
      "at = text.normalize().indexOf('\\n', at + 1)) line += 1;",
    ],
    [
      'packages/toolbox/src/files/edit/find-sequence.ts',
      `    left -= wanted.length;
`,
      '',
    ],
    [
      'packages/toolbox/src/files/edit/line-diff.ts',
      'parts.push(text.slice(at, start), by);',
      'parts.push(text.normalize().slice(at, start), by);',
    ],
    [
      'packages/toolbox/src/files/edit/find-sequence.ts',
      `    const item = all.at(index);
`,
      `    const item = Array.from({ length: index + 1 }, (_, at) => all.at(at)).at(-1);
`,
    ],
    [
      'packages/toolbox/src/files/edit/find-alike.ts',
      `    const newline = text.indexOf('\\n', start);
    const end`,
      `    const newline = text.normalize().indexOf('\\n', start);
    const end`,
    ],
    [
      'packages/toolbox/src/memory/commands.ts',
      'at = text.indexOf(part, at + part.length)) places.push(at)',
      'at = text.normalize().indexOf(part, at + part.length)) places.push(at)',
    ],
    [
      'packages/toolbox/src/workspace/glob.ts',
      "matchToken(tokens[index], name[at] ?? '')",
      "matchToken(tokens[index], [...name][at] ?? '')",
    ],
    [
      'packages/toolbox/src/workspace/glob.ts',
      'matchName(segment, names[at] ?? [])',
      'matchName(segment, [...names][at] ?? [])',
    ],
    [
      'packages/toolbox/src/permissions/match-wildcard.ts',
      "    const char = text[at] ?? '';",
      "    const char = text.normalize()[at] ?? '';",
    ],
    [
      'packages/toolbox/src/commands/shell/parse-shell.ts',
      `    const char = source[reading.at];
    if (char === ' '`,
      `    const char = source.normalize()[reading.at];
    if (char === ' '`,
    ],
    [
      'packages/toolbox/src/commands/shell/read-word.ts',
      `    const char = source[reading.at];
    if (char === undefined) {
      reading.unclear = 'an unclosed quote'`,
      `    const char = source.normalize()[reading.at];
    if (char === undefined) {
      reading.unclear = 'an unclosed quote'`,
    ],
    ['packages/toolbox/src/skills/frontmatter.ts', ', uniqueKeys: false', ''],
    ['packages/toolbox/src/skills/frontmatter.ts', 'MAX_LENGTH = 16_384', 'MAX_LENGTH = 16_384_000'],
    [
      'packages/toolbox/src/skills/allowed-tools.ts',
      "    if (character === '(') depth += 1;",
      "    if (text.normalize() !== '' && character === '(') depth += 1;",
    ],
    [
      'packages/toolbox/src/memory/notes/note-tools.ts',
      'all.filter((note) =>',
      'all.filter((note, at) => all.slice(0, at + 1).at(-1) === note &&',
    ],
    [
      'packages/toolbox/src/files/search/search-text.ts',
      `        await letEventsRun();
        signal.throwIfAborted();
        if (fits`,
      `        await letEventsRun();
        for await (const each of candidates(workspace, wanted, files)) if (each === file) break;
        signal.throwIfAborted();
        if (fits`,
    ],
  ]),
  ...seenBy('apps/prompt-agent/test', [
    [
      'packages/protocol/src/json-text/json-loss.ts',
      'if (keys.has(key)) found.add(key);',
      'if ([...keys].includes(key)) found.add(key);',
    ],
    [
      'packages/internal/src/visible.ts',
      'replaceAll(ACTING, escapeCharacter)',
      'replaceAll(ACTING, (each) => escapeCharacter(each) + text.normalize().slice(0, 0))',
    ],
    [
      'apps/prompt-agent/src/output/escape.ts',
      '(character) => `\\\\u${',
      '(character, at: number, all: string) => `\\\\u${all.normalize().slice(0, 0)}${',
    ],
    [
      'apps/prompt-agent/src/output/terminal/wrap-lines.ts',
      '      used += own;',
      "      used += line.normalize() === '' ? 0 : own;",
    ],
    [
      'apps/prompt-agent/src/tools/evaluate.ts',
      'const peek = () => tokens[at]?.text;',
      'const peek = () => [...tokens][at]?.text;',
    ],
    [
      'apps/prompt-agent/src/tools/evaluate.ts',
      'const trimmed = token.trim().toLowerCase();',
      'const trimmed = token.trim().toLowerCase() + text.normalize().slice(0, 0);',
    ],
    [
      'apps/prompt-agent/src/options/split-command.ts',
      "    const char = text[index] ?? '';",
      "    const char = text.normalize()[index] ?? '';",
    ],
    [
      'apps/prompt-agent/src/output/terminal/spans.ts',
      '    const last = merged.at(-1);',
      '    const last = [...merged].at(-1);',
    ],
    [
      'apps/prompt-agent/src/markdown/split-blocks.ts',
      "const pieces = (partial + text).split('\\n');",
      "const pieces = (partial + text).split('\\n').map((each, at, all) => all.slice(0, at + 1).at(-1) ?? each);",
    ],
    [
      'apps/prompt-agent/src/markdown/highlight.ts',
      '    if (names !== undefined) open.push',
      "    if (html.normalize() !== '' && names !== undefined) open.push",
    ],
  ]),
  ...seenBy('packages/offline/test', [
    [
      'packages/offline/src/language/tokenize.ts',
      'while ((expressions[next]?.end ?? Infinity) <= start) next += 1;',
      'next = expressions.filter((each) => each.end <= start).length;',
    ],
    [
      'packages/offline/src/planning/plan-calls.ts',
      'while ((tokens[next]?.end ?? Infinity) <= index) next += 1;',
      'next = tokens.filter((each) => each.end <= index).length;',
    ],
    [
      'packages/offline/src/arguments/slot-tokens.ts',
      'tokens.some((_, at) => at !== index && isFree(filling, at))',
      'tokens.filter((_, at) => at !== index && isFree(filling, at)).length > 0',
    ],
    ['packages/offline/src/language/negation.ts', '(?:\\d\\S{0,30}\\s{0,9})?', '(?:\\d\\S*\\s*)?'],
    ['packages/offline/src/planning/plan-calls.ts', 'MAX_PROMPT_LENGTH = 2000', 'MAX_PROMPT_LENGTH = 20_000'],
    [
      'packages/offline/src/language/arithmetic.ts',
      `    form.lastIndex = end;
`,
      `    form.lastIndex = end + text.normalize().slice(0, 0).length;
`,
    ],
    [
      'packages/offline/src/planning/plan-calls.ts',
      '!text.endsWith(`\\n${closing}`)',
      "text.split('\\n').filter((_, at, lines) => lines.slice(at).join('\\n') === closing).length === 0",
    ],
    [
      'packages/offline/src/phrases/value-kinds.ts',
      '  const words = found.map(expand)',
      "  const words = found.map((_, at) => expand(found.slice(0, at + 1).at(-1) ?? ''))",
    ],
  ]),
];
