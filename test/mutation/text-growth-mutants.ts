import type { Mutant } from './mutant.ts';
import { seenBy } from './seen-by.ts';

/** Faults of what reads texts: replies, commands, prompts and what the program shows. */
export const TEXT_GROWTH_MUTANTS: readonly Mutant[] = [
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
    [
      'packages/providers/src/wire/call-assembler.ts',
      'const code = piece.charCodeAt(at);',
      'const code = piece.normalize().charCodeAt(at);',
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
    ['packages/providers/src/schema-dialects/budget.ts', 'MAX_GROWTH = 20_000', 'MAX_GROWTH = 200_000'],
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
      `    if (item === wanted.at(matched)) matched += 1;
    if (matched < wanted.length) continue;`,
      `    const start = index - wanted.length + 1;
    for (matched = 0; start >= from && matched < wanted.length; matched += 1) if (all.at(start + matched) !== wanted.at(matched)) break;
    if (matched < wanted.length) continue;`,
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
      "all.filter((note) => JSON.stringify(all) !== '' &&",
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
      'const trimmed = token.trim().toLowerCase();',
      'const trimmed = token.trim().toLowerCase() + text.normalize().slice(0, 0);',
    ],
    [
      'apps/prompt-agent/src/options/split-command.ts',
      "    const char = text[index] ?? '';",
      "    const char = text.normalize()[index] ?? '';",
    ],
    [
      'apps/prompt-agent/src/markdown/split-blocks.ts',
      "const pieces = (partial + text).split('\\n');",
      "const pieces = (partial + text).split('\\n').map((each, at, all) => all.slice(0, at + 1).at(-1) ?? each);",
    ],
  ]),
  ...seenBy('packages/offline/test', [
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
    ['packages/offline/src/language/tokenize.ts', '(?<![\\w.+-])[\\w.+-]+@', '[\\w.+-]+@'],
    ['packages/offline/src/language/tokenize.ts', '“[^“”]+”', '“[^”]+”'],
    ['packages/offline/src/planning/plan-calls.ts', ',?(?<!\\s)\\s+(?:and then', '\\s+(?:and then'],
  ]),
];
