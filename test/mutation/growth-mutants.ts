import type { Mutant } from './mutant.ts';

/**
 * Faults that make linear work quadratic, or take its bound away, by the folders whose growth tests see them and by
 * file. In an edit, `«new»` is put in, and `«old→new»` takes the place of what is there.
 */
const EDITS: readonly (readonly [folders: readonly string[], edits: Readonly<Record<string, readonly string[]>>])[] = [
  [
    ['packages/providers/test'],
    {
      'packages/providers/src/text-tools/json-text.ts': [
        `        const code = text.«normalize().»charCodeAt(at);
        if (escaped)`,
        'while (at < text.length && text.«normalize().»charCodeAt(at) !== 0x22) at +=',
      ],
      'packages/providers/src/text-tools/scanner.ts': [
        `«      if (buffer.length - examinedLength < (examinedLength - ALWAYS_EXAMINED_LENGTH) / 16) return;
→»`,
        'boundaryText «+= mark→= (boundaryText + mark).normalize()»;',
      ],
      'packages/providers/src/text-tools/gemma-literal.ts': [
        `        const character = text.«normalize().»charAt(at);
        if (quote === QUOTE)`,
      ],
      'packages/providers/src/text-tools/formats/llama.ts': [
        `      const character = text.«normalize().»charAt(at);
      if (quote !== '')`,
      ],
      'packages/internal/src/secret-search.ts': ['shifts[blockAt(text«.normalize()», at)]'],
      'packages/providers/src/text-tools/prompts.ts': [
        '  return text.replaceAll(TOKEN_START, (first) => `${first}\\\\«${text.normalize().slice(0, 0)}»`);',
      ],
      'packages/providers/src/config/base-url.ts': ["url.pathname.replace(/«(?<!\\/)→»\\/+$/, '')"],
      'packages/providers/src/wire/argument-scan.ts': ['const code = piece.«normalize().»charCodeAt(at);'],
    },
  ],
  [
    ['packages/providers/test/wire'],
    {
      'packages/providers/src/stream/sse.ts': [
        `    chunks«.push(chunk)→ = [chunks.concat(chunk).join('').normalize()]»;
`,
      ],
      'packages/providers/src/wire/message-builder.ts': [
        'text.citations.read«.push→ = text.citations.read.concat»(citation);',
      ],
      'packages/providers/src/schema-dialects/budget.ts': ['MAX_GROWTH = «20_000→200_000»'],
      'packages/protocol/src/json-text/json-scan.ts': ['const code = text.«normalize().»charCodeAt(index);'],
    },
  ],
  [
    ['packages/toolbox/test'],
    {
      'packages/toolbox/src/files/edit/line-diff.ts': [
        "at = text.«normalize().»indexOf('\\n', at + 1)) line += 1;",
        'parts.push(text.«normalize().»slice(at, start), by);',
      ],
      'packages/toolbox/src/files/edit/find-sequence.ts': [
        `«    left -= wanted.length;
→»`,
        `    «if (item === wanted.at(matched)) matched += 1→const start = index - wanted.length + 1;
    for (matched = 0; start >= from && matched < wanted.length; matched += 1) if (all.at(start + matched) !== wanted.at(matched)) break»;
    if (matched < wanted.length) continue;`,
      ],
      'packages/toolbox/src/files/edit/find-alike.ts': [
        `    const newline = text.«normalize().»indexOf('\\n', start);
    const end`,
      ],
      'packages/toolbox/src/memory/commands.ts': [
        'at = text.«normalize().»indexOf(part, at + part.length)) places.push(at)',
      ],
      'packages/toolbox/src/workspace/glob.ts': [
        "matchToken(tokens[index], «name→[...name]»[at] ?? '')",
        'matchName(segment, «names→[...names]»[at] ?? [])',
      ],
      'packages/toolbox/src/permissions/match-wildcard.ts': ["    if («text.normalize() !== '' && »piece.length === 1"],
      'packages/toolbox/src/commands/shell/read-word.ts': [
        '    const char = source«.normalize()»[reading.at];',
        '  pattern.lastIndex = reading.at;\n  const found = pattern.exec(reading.source«.normalize()»);',
      ],
      'packages/toolbox/src/skills/frontmatter.ts': ['«, uniqueKeys: false→»', 'MAX_LENGTH = «16_384→16_384_000»'],
      'packages/toolbox/src/skills/allowed-tools.ts': [
        "    if («text.normalize() !== '' && »character === '(') depth += 1;",
      ],
      'packages/toolbox/src/memory/notes/note-tools.ts': ["all.filter((note) =>« JSON.stringify(all) !== '' &&»"],
      'packages/toolbox/src/files/search/search-text.ts': [
        `        await letEventsRun();
        «for await (const each of candidates(workspace, wanted, files)) if (each === file) break;
        »signal.throwIfAborted();
        if (fits`,
      ],
    },
  ],
  [
    ['apps/prompt-agent/test'],
    {
      'packages/protocol/src/json-text/json-loss.ts': ['if («keys.has→[...keys].includes»(key)) found.add(key);'],
      'packages/internal/src/visible.ts': [
        'replaceAll(ACTING, «escapeCharacter→(each) => escapeCharacter(each) + text.normalize().slice(0, 0)»)',
      ],
      'apps/prompt-agent/src/output/escape.ts': [
        '(character«) => `\\\\u→, at: number, all: string) => `\\\\u${all.normalize().slice(0, 0)}»${',
      ],
      'apps/prompt-agent/src/output/terminal/wrap-lines.ts': ["      used += «line.normalize() === '' ? 0 : »own;"],
      'apps/prompt-agent/src/tools/evaluate.ts': [
        'const trimmed = token.trim().toLowerCase()« + text.normalize().slice(0, 0)»;',
      ],
      'apps/prompt-agent/src/options/split-command.ts': ["    const char = text«.normalize()»[index] ?? '';"],
      'apps/prompt-agent/src/markdown/split-blocks.ts': [
        "const pieces = (partial + text).split('\\n')«.map((each, at, all) => all.slice(0, at + 1).at(-1) ?? each)»;",
      ],
    },
  ],
  [
    ['packages/offline/test'],
    {
      'packages/offline/src/planning/plan-calls.ts': [
        '«while ((tokens[next]?.end ?? Infinity) <= index) next += 1→next = tokens.filter((each) => each.end <= index).length»;',
        'MAX_PROMPT_LENGTH = «2000→20_000»',
        "«!text.endsWith(`\\n${closing}`)→text.split('\\n').filter((_, at, lines) => lines.slice(at).join('\\n') === closing).length === 0»",
        '«,?(?<!\\s)→»\\s+(?:and then',
      ],
      'packages/offline/src/arguments/slot-tokens.ts': [
        'tokens.«some((_, at) => at !== index && isFree(filling, at))→filter((_, at) => at !== index && isFree(filling, at)).length > 0»',
      ],
      'packages/offline/src/language/negation.ts': ['(?:\\d\\S«{0,30}\\s{0,9}→*\\s*»)?'],
      'packages/offline/src/language/arithmetic.ts': [
        `    form.lastIndex = end« + text.normalize().slice(0, 0).length»;
`,
      ],
      'packages/offline/src/language/tokenize.ts': ['«(?<![\\w.+-])→»[\\w.+-]+@', '“[^«“→»”]+”'],
    },
  ],
  [
    ['packages/protocol/test'],
    {
      'packages/protocol/src/json-text/json-scan.ts': [
        'const code = text.«toLowerCase().»charCodeAt(index);',
        'while (text.«normalize().»charCodeAt(first - 1) === 0x5c) first -= 1;',
      ],
      'packages/protocol/src/json-text/json-loss.ts': ["at = text.«toLowerCase().»indexOf(':', at + 1)"],
      'packages/protocol/src/tool-name.ts': ['const code = text.«toLowerCase().»charCodeAt(index);'],
    },
  ],
  [
    ['packages/protocol/test', 'packages/tools/test'],
    {
      'packages/protocol/src/json-text/json-loss.ts': [
        'count += countKeys(«value[at]→value.slice(0, at + 1).at(-1)»);',
      ],
    },
  ],
  [
    ['packages/internal/test'],
    {
      'packages/internal/src/secret-search.ts': ['shifts[blockAt(text«.concat().normalize()», at)]'],
      'packages/internal/src/key-shapes.ts': [
        'while (at < text.length && IN_KEY[text.«normalize().»charCodeAt(at)] === 1) at += 1;',
        'while (at >= from && IN_KEY[text.«normalize().»charCodeAt(at)] === 1) at -= 1;',
      ],
    },
  ],
  [
    ['packages/schema/test', 'packages/tools/test'],
    {
      'packages/schema/src/validator/checks.ts': ['path.pointer «??→»= '],
    },
  ],
  [
    ['packages/schema/test'],
    {
      'packages/schema/src/regex/linear.ts': ['const character = characters«.slice()»[isBackward ? at - 1 : at]'],
      'packages/schema/src/regex/parse.ts': ["let token = tokens«.slice()»[at]; token !== undefined && token !== '|'"],
      'packages/schema/src/validator/references.ts': ['memo.steps += «1→JSON.stringify(value).length > 0 ? 1 : 0»;'],
      'packages/schema/src/validator/deep-freeze-copy.ts': [
        'MAX_NODES = «100_000→100_000_000»',
        'MAX_TEXT = «4_000_000→4_000_000_000»',
      ],
    },
  ],
  [
    ['packages/tools/test'],
    {
      'packages/internal/src/nearest.ts': [
        `  «for (const candidate of known) {→const seen: string[] = [];
  for (const candidate of known) {
    if (seen.includes(candidate)) continue;
    seen.push(candidate);
»`,
      ],
      'packages/schema/src/coerce/copy-on-write.ts': [
        'if (copies.has(value)) return «value→JSON.parse(JSON.stringify(value)) as object»;',
      ],
      'packages/schema/src/arguments/json-error-position.ts': [
        `    const code = text.«normalize().»charCodeAt(index);
    if (code === 0x22)`,
      ],
      'packages/tools/src/call/failure-text.ts': [
        `    const «[path] = match→path = match[0] + word.normalize().slice(0, 0)»;
`,
      ],
      'packages/tools/src/registry/registration.ts': ['(«names.has→[...names].includes»(name) || isTaken(name))'],
      'packages/tools/src/grammar/budget.ts': ['MAX_GROWTH = «20_000→2_000_000»'],
      'packages/tools/src/grammar/to-gbnf.ts': ['if (cached !== undefined« && byOptions.size > 1») return cached;'],
      'packages/tools/src/registry/entries.ts': [
        '«(list ??= lists.listFor(results)→[...entries.values()].map(({ binding }) => binding.tool»)',
      ],
      'packages/schema/src/validator/objects.ts': [
        'if (item === undefined || !Object.«hasOwn(value, →keys(value).includes(»key)) continue;',
      ],
    },
  ],
  [
    ['packages/agent/test'],
    {
      'packages/internal/src/json.ts': ['canonicalJson(«value→{ ...value }»[key])'],
      'packages/internal/src/well-formed.ts': ['if (!isSound(«value→[...value]»[at], depth + 1)) return false;'],
      'packages/agent/src/config/expand-variables.ts': [
        "const variable = «value.normalize() !== '' && »Object.hasOwn(env, name) ? env[name] : undefined;",
      ],
      'packages/agent/src/config/duration.ts': ["total += «value.normalize() === '' ? 0 : »Number(count)"],
      'packages/agent/src/session/log-format.ts': [
        "  const withoutNul = line.replaceAll('\\0', '')« + ' '.repeat(number).slice(0, 0)»;",
      ],
      'packages/agent/src/history/repair-history.ts': [
        "    if («message→messages.slice(0, index + 1).at(-1)?».role === 'tool') continue;",
      ],
      'packages/agent/src/history/call-ids.ts': ['while («used.has→[...used].includes»(`call_${next}`)'],
      'packages/agent/src/limits/loop-guard.ts': ['turn.«push(→splice(0, turn.length, ...turn, »entry);'],
      'packages/agent/src/web/http/byte-stream.ts': [
        `  const «iterator = texts[Symbol.asyncIterator]→sent: unknown[] = [];
  const iterator = (async function* all() {
    for await (const text of texts) {
      sent.splice(0, sent.length, ...sent, text);
      yield text;
    }
  })»();`,
      ],
      'packages/agent/src/output/json-pieces.ts': [
        `    const char = text«.normalize()»[index];
    if (char === '"' && open.length > 0`,
      ],
    },
  ],
  [
    ['packages/mcp/test', 'packages/mcp/test/client'],
    {
      'packages/internal/src/visible.ts': [
        'replaceAll(HIDDEN, «escapeCharacter→(each) => escapeCharacter(each) + text.normalize().slice(0, 0)»)',
      ],
      'packages/schema/src/validator/arrays.ts': [
        `  const texts« = new Set<string>();
  for (const item of items) {
    const text = canonicalJson(item);
    if (texts.has(text)) return false;
    texts.add→: string[] = [];
  for (const item of items) {
    const text = canonicalJson(item);
    if (texts.includes(text)) return false;
    texts.push»(text);`,
      ],
    },
  ],
  [
    ['packages/mcp/test'],
    {
      'packages/schema/src/validator/arrays.ts': [
        'const check = prefix[index] ?? «other→(value.slice(0, index + 1).length === 0 ? undefined : other)»;',
        'if (!passes(check, «value.slice(0, index + 1).at(-1) ?? »item, validation)) continue;',
      ],
      'packages/schema/src/validator/objects.ts': [
        '      if (passes(check, «Object.keys(value).find((name) => name === key) ?? »key, validation)) continue;',
      ],
      'packages/mcp/src/client/calls/tool-result.ts': ['texts.«push(→splice(0, texts.length, ...texts, »part);'],
      'packages/mcp/src/split-lines.ts': [
        '      parts«.push(part)→ = [Buffer.concat([...parts, part])]»;',
        `at = «chunk→Buffer.from(chunk)».indexOf(NEWLINE, from)) {
      add(`,
      ],
      'packages/mcp/src/client/tools/remote-tool.ts': [
        'if (isMap) return [key, visibleSchema(«value→{ ...schema }[key]»)];',
      ],
      'packages/mcp/src/client/config.ts': [
        'return disabled ? [] : [readServer(name, «entry→{ ...({ ...servers }[name] as Entry) }»)];',
        "!args.every((«arg) => typeof arg→_, at) => typeof [...args][at]» === 'string')",
        '      return [each, «text→{ ...value }[each]»];',
      ],
      'packages/protocol/src/tool-name.ts': [
        'isToolName(plain) && !«taken.has→[...(taken as Set<string>)].includes»(plain)',
      ],
    },
  ],
  [
    ['packages/mcp/test/client'],
    {
      'packages/mcp/src/client/transport/stdio-link.ts': [
        `      «head += 1→waiting = waiting.slice(1)»;
`,
      ],
      'packages/mcp/src/client/connection/list-tools.ts': [
        'entries.«push(→splice(0, entries.length, ...entries, »entry);',
      ],
      'packages/mcp/src/client/transport/limit-fetch.ts': [
        `    length «+= chunk→= Buffer.concat([...chunks, chunk])».length;
`,
      ],
    },
  ],
  [
    ['packages/acp/test'],
    {
      'packages/acp/src/changes/write-part.ts': [
        'for (const line of lines) out.«push(→unshift(...out.splice(0), »sign + line);',
      ],
    },
  ],
];

/** The text of a file with the fault of an edit, or without it. */
const textOf = (edit: string, isFaulty: boolean): string =>
  edit.replace(/«(?:([^→»]*)→)?([^»]*)»/, (_, old: string | undefined, fault: string) =>
    isFaulty ? fault : (old ?? ''),
  );

/** Each is noticed by counts. */
export const GROWTH_MUTANTS: readonly Mutant[] = EDITS.flatMap(([folders, files]) =>
  folders.flatMap((folder) =>
    Object.entries(files).flatMap(([file, edits]) =>
      edits.map((edit) => ({
        name: `${folder} counts the work of ${file}: ${edit.trim()}`,
        tests: [`${folder}/growth.slow.test.ts`],
        file,
        find: textOf(edit, false),
        replace: textOf(edit, true),
      })),
    ),
  ),
);
