import { attempt } from '@kernel/internal';
import { coverableWords } from '../commands/analysis/safe-programs.ts';
import { knownWord } from '../commands/shell/types.ts';
import { KNOWN_TOOLS } from '../permissions/known-tools.ts';
import { compileRule } from '../permissions/compile-rules.ts';
import { escapeWildcards } from '../permissions/match-wildcard.ts';
import type { PermissionRule } from '../permissions/index.ts';

const MAX_ENTRIES = 100;

/** What names of `allowed-tools` mean here. Those of Claude Code, in which most skills are written, and our own. */
const TOOLS: ReadonlyMap<string, { readonly tool: string; readonly takes: 'command' | 'path' | 'domain' | 'none' }> =
  new Map(
    Object.entries(KNOWN_TOOLS).flatMap(([tool, { aliases = [], takes }]) =>
      takes === undefined ? [] : [tool, ...aliases].map((name) => [name, { tool, takes }] as const),
    ),
  );

export interface SkillScripts {
  readonly folder: string;
  readonly files: ReadonlySet<string>;
}

export interface AllowedTools {
  readonly rules: readonly PermissionRule[];
  /** The entries that have no clear meaning here, each with the reason. They allow nothing. */
  readonly ignored: readonly string[];
}

export function splitTools(text: string): readonly string[] {
  const entries: string[] = [];
  let entry = '';
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      entries.push(entry);
      entry = '';
    } else entry += character;
  }
  return [...entries, entry].filter((each) => each !== '');
}

/**
 * Translates entries such as `Bash(git:*)`, `Read` and `WebFetch(domain:example.com)` to rules, and only where their meaning is clear: never to a rule
 * that allows more. A path of a skill's own script stands for the script in the skill's folder, not for one of that name elsewhere.
 */
export function toRules(entries: readonly string[], scripts: SkillScripts): AllowedTools {
  const rules: PermissionRule[] = [];
  const ignored: string[] = [];
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const translated = translate(entry, scripts);
    if ('rule' in translated) rules.push(translated.rule);
    else ignored.push(`${entry}: ${translated.problem}`);
  }
  if (entries.length > MAX_ENTRIES) ignored.push(`all beyond ${MAX_ENTRIES} entries`);
  return { rules, ignored };
}

type Translated = { readonly rule: PermissionRule } | { readonly problem: string };

function translate(entry: string, scripts: SkillScripts): Translated {
  const [, name = '', argument] = /^([A-Za-z_]+)(?:\(([^()]*)\))?$/.exec(entry) ?? [];
  const known = TOOLS.get(name);
  if (known === undefined) return { problem: 'there is no such tool here' };
  const { takes, tool } = known;
  const text = argument?.trim();
  if (text === undefined || text === '*' || text === '**') return { rule: { allow: tool } };
  const pattern =
    takes === 'command'
      ? commandPattern(text, scripts)
      : takes === 'path'
        ? pathPattern(text)
        : takes === 'domain'
          ? domainPattern(text)
          : undefined;
  if (pattern === undefined) return { problem: 'what is in parentheses has no clear meaning here' };
  const rule = { allow: `${tool}(${pattern})` };
  return attempt(() => compileRule(rule, undefined)) === undefined ? { problem: 'it is too long' } : { rule };
}

/**
 * `git:*`, `git *` and `git status`: plain words, with any further ones after them. Where a wildcard covers no arguments of the program, the words alone
 * are allowed, and nothing for a program without any: it may read its code from its input.
 */
function commandPattern(text: string, { files, folder }: SkillScripts): string | undefined {
  const [, command = '', open] = /^([\w@%+=,./ -]+?)(:\*| \*)?$/.exec(text) ?? [];
  const words = command.split(' ').filter((word) => word !== '');
  const patterns = words.map((word, index) => {
    const path = word.replace(/^\.\//, '');
    if (files.has(path)) return escapeWildcards(`${folder}/${path}`);
    // A program by a relative path would be one of the project, whoever wrote it.
    return index === 0 && word.includes('/') && !word.startsWith('/') ? undefined : word;
  });
  if (patterns.length === 0 || patterns.includes(undefined)) return undefined;
  if (open === undefined) return patterns.join(' ');
  if (coverableWords(words.map(knownWord)).isListed || command === 'git') return `${patterns.join(' ')} *`;
  return words.length === 1 && patterns[0] === words[0] ? undefined : patterns.join(' ');
}

function pathPattern(text: string): string | undefined {
  if (!/^[\w@.* /-]+$/.test(text) || text.startsWith('/') || text.split('/').includes('..')) return undefined;
  return text;
}

function domainPattern(text: string): string | undefined {
  const [, host] = /^domain:((?:\*\.)?[a-z0-9.-]+)$/i.exec(text) ?? [];
  return host === undefined ? undefined : `https://${host.toLowerCase()}/**`;
}
