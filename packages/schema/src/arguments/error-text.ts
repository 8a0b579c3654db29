import { nearest, truncate } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { issuePath, type StandardIssue } from '../standard-schema.ts';
import type { ValidationIssue } from '../validator/checks.ts';
import type { UnknownProperty } from './unknown-properties.ts';

/** The limit includes the error code. */
const MAX_LENGTH = 300;
const CODE_LENGTH = 'ARGUMENTS_INVALID: '.length;
const MAX_SHOWN = 3;
/** The limits of an issue of a schema library. */
const [MAX_PATH, MAX_MESSAGE] = [60, 120];

const MAX_DATA_ISSUES = 20;

/** What a model reads, in at most 300 characters: no stack, class name or file path of the program. */
export function argumentsError(
  toolName: string,
  issues: readonly ValidationIssue[],
  unknownProperties: readonly UnknownProperty[] = [],
): KernelError {
  const head = `"${truncate(toolName, 40)}" refused its arguments.`;
  const tail = `${moreText(issues.length, MAX_SHOWN)}${unknownText(unknownProperties)}`;
  const lines = fitLines(issues.slice(0, MAX_SHOWN), MAX_LENGTH - CODE_LENGTH - head.length - tail.length);
  return new KernelError('ARGUMENTS_INVALID', `${head}${lines.join('')}${tail}`, {
    data: {
      tool: toolName,
      issues: issues.slice(0, MAX_DATA_ISSUES).map(({ path, keyword, expected }) => ({ path, keyword, expected })),
    },
  });
}

/** Used when the JSON Schema finds nothing wrong and the schema library does. */
export function standardIssuesError(toolName: string, issues: readonly StandardIssue[]): KernelError {
  const thrown = issues.find((issue) => 'cause' in issue);
  const head = `"${truncate(toolName, 40)}" refused its arguments.`;
  const lines = issues
    .slice(0, MAX_SHOWN)
    .map((issue) => ` ${truncate(issuePath(issue) || '/', MAX_PATH)}: ${truncate(issue.message, MAX_MESSAGE)}.`);
  // Whole lines: an example that is cut is a wrong one.
  const textOf = (count: number): string => `${head}${lines.slice(0, count).join('')}${moreText(issues.length, count)}`;
  const count = [MAX_SHOWN, 2].find((each) => textOf(each).length <= MAX_LENGTH - CODE_LENGTH) ?? 1;
  const text = textOf(count);
  return new KernelError('ARGUMENTS_INVALID', truncate(text, MAX_LENGTH - CODE_LENGTH), {
    data: {
      tool: toolName,
      issues: issues.slice(0, MAX_DATA_ISSUES).map((issue) => ({ path: issuePath(issue), expected: issue.message })),
    },
    ...(thrown === undefined ? {} : { cause: thrown.cause }),
  });
}

export function unknownPropertyNote({ path, name, knownProperties }: UnknownProperty): string {
  const [near = ''] = nearest(name, knownProperties, 1);
  const hint = near === '' ? '' : ` Did you mean "${truncate(near, 40)}"?`;
  return `Unknown argument ${truncate(`${path}/${name}`, 60)} was left out.${hint}`;
}

function moreText(issueCount: number, shown: number): string {
  return issueCount > shown ? ` And ${issueCount - shown} more.` : '';
}

/** A misspelt property may be the one that is missing, so the text suggests the nearest name. */
function unknownText(unknownProperties: readonly UnknownProperty[]): string {
  const texts = unknownProperties.slice(0, 2).map(({ name, knownProperties }) => {
    const [near = ''] = nearest(name, knownProperties, 1);
    return ` unknown "${truncate(name, 20)}"${near === '' ? '' : `: did you mean "${truncate(near, 20)}"?`}`;
  });
  return texts.join(',');
}

/** How long each part of a line can be, from generous to minimal. */
const SIZES = [80, 60, 48, 32, 20, 12, 6];

/** The longest line is shortened first. */
function fitLines(issues: readonly ValidationIssue[], maxLength: number): readonly string[] {
  const sizes = issues.map(() => 0);
  const write = (index: number): string => {
    const issue = issues[index];
    return issue === undefined ? '' : lineOf(issue, SIZES[sizes[index] ?? 0] ?? 6);
  };
  const lines = issues.map((_, index) => write(index));
  while (lines.reduce((sum, line) => sum + line.length, 0) > maxLength) {
    const shortenable = lines.map((line, index) => ((sizes[index] ?? 0) < SIZES.length - 1 ? line.length : -1));
    const longest = shortenable.indexOf(Math.max(...shortenable));
    if ((shortenable[longest] ?? -1) < 0) break;
    sizes[longest] = (sizes[longest] ?? 0) + 1;
    lines[longest] = write(longest);
  }
  return lines.map((line) => truncate(line, Math.floor(maxLength / lines.length) + (lines.length === 1 ? 0 : 40)));
}

function lineOf(issue: ValidationIssue, size: number): string {
  return ` ${truncate(issue.path === '' ? '/' : issue.path, Math.max(24, size))}: ${problemOf(issue, size)}`;
}

function problemOf(issue: ValidationIssue, size: number): string {
  const { property } = issue;
  if (issue.keyword === 'required') return `"${truncate(property ?? '', 40)}" is missing.`;
  if (issue.keyword === 'propertyNames') return `the name "${truncate(property ?? '', size)}" is not allowed.`;
  if (property !== undefined) {
    const { knownProperties = [] } = issue;
    const [near] = nearest(property, knownProperties, 1);
    const only = knownProperties.length === 0 || near !== undefined ? '' : ` (only: ${listOf(knownProperties, size)})`;
    return `no property "${truncate(property, size)}"${only}${didYouMean(near === undefined ? undefined : `"${near}"`)}.`;
  }
  const { allowed } = issue;
  const types = allowed === undefined || issue.types === undefined ? '' : `${issue.types.join(' or ')} or `;
  const expected =
    allowed === undefined
      ? truncate(issue.expected, size * 2)
      : `${types}${allowed.length === 1 ? '' : 'one of '}${listOf(allowed, size)}`;
  return `expected ${expected}, got ${show(issue.received, size)}${didYouMean(nearValue(issue))}.`;
}

function nearValue(issue: ValidationIssue): string | undefined {
  if (issue.allowed === undefined || typeof issue.received !== 'string') return undefined;
  const texts = issue.allowed.filter((value) => typeof value === 'string');
  const [near] = nearest(issue.received, texts, 1);
  return near === undefined ? undefined : `"${truncate(near, 40)}"`;
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

function listOf(values: readonly unknown[], size: number): string {
  let text = '';
  for (const [index, value] of values.entries()) {
    const next = `${index === 0 ? '' : ', '}${show(value, size)}`;
    if (text.length + next.length > size && index > 0) return `${text}, … (${values.length})`;
    text += next;
  }
  return text;
}

function show(value: unknown, size: number): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : 'an object';
  return typeof value === 'string'
    ? JSON.stringify(truncate(value, size))
    : truncate(JSON.stringify(value) ?? 'something', size);
}
