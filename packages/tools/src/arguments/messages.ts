import { KernelError } from '@kernel/protocol';
import type { Fault } from '../schema/check.ts';
import { type StandardIssue, issuePath } from '../tool/standard-schema.ts';
import { nearest } from '../name-suggestions.ts';

/** How long the model's text may be, code included. */
const LIMIT = 300;
const SHOWN = 3;

/**
 * The error that a model reads about its arguments: for each fault the place, what was expected and received, the allowed values
 * and the nearest one, in 300 characters or fewer. No stack, class or path of the program is in it.
 */
export function argumentsError(name: string, faults: readonly Fault[], strays: readonly Unknown[] = []): KernelError {
  const more = faults.length - Math.min(faults.length, SHOWN);
  const head = `"${clip(name, 40)}" refused its arguments.`;
  const tail = `${more > 0 ? ` And ${more} more.` : ''}${unknownNames(strays)}`;
  const lines = fitLines(faults.slice(0, SHOWN), LIMIT - 'ARGUMENTS_INVALID: '.length - head.length - tail.length);
  return new KernelError('ARGUMENTS_INVALID', `${head}${lines.join('')}${tail}`, {
    data: {
      tool: name,
      faults: faults
        .slice(0, 20)
        .map((fault) => ({ path: fault.path, keyword: fault.keyword, expected: fault.expected })),
    },
  });
}

/** An argument that the schema says nothing about, and what it names there. */
interface Unknown {
  readonly name: string;
  readonly known: readonly string[];
}

/** What was left out and may be what is missing. */
function unknownNames(strays: readonly Unknown[]): string {
  const told = strays.slice(0, 2).map(({ name, known }) => {
    const [near = ''] = nearest(name, known, 1);
    return ` unknown "${clip(name, 20)}"${near === '' ? '' : `: did you mean "${clip(near, 20)}"?`}`;
  });
  return told.join(',');
}

/** The same for a schema library's own issues, where the JSON Schema finds nothing wrong. */
export function issuesError(name: string, issues: readonly StandardIssue[]): KernelError {
  const thrown = issues.find((issue) => 'cause' in issue);
  const shown = issues.slice(0, SHOWN).map((issue) => ` ${issuePath(issue) || '/'}: ${clip(issue.message, 70)}.`);
  const more = issues.length - shown.length;
  const text = `"${clip(name, 40)}" refused its arguments.${shown.join('')}${more > 0 ? ` And ${more} more.` : ''}`;
  return new KernelError('ARGUMENTS_INVALID', clip(text, LIMIT - 19), {
    data: {
      tool: name,
      faults: issues.slice(0, 20).map((issue) => ({ path: issuePath(issue), expected: issue.message })),
    },
    ...(thrown === undefined ? {} : { cause: thrown.cause }),
  });
}

/** Says which unknown argument was meant, in a sentence for the model. */
export function strayNote(path: string, name: string, known: readonly string[]): string {
  const [near] = nearest(name, known, 1);
  const hint = near === undefined || near === '' ? '' : ` Did you mean "${clip(near, 40)}"?`;
  return `Unknown argument ${clip(`${path}/${name}`, 60)} was left out.${hint}`;
}

const SIZES = [80, 60, 48, 32, 20, 12, 6];

/** Writes each fault as long as there is room for all: the longest line is written shorter first. */
function fitLines(faults: readonly Fault[], room: number): readonly string[] {
  const steps = faults.map(() => 0);
  const write = (index: number): string => {
    const fault = faults[index];
    return fault === undefined ? '' : lineOf(fault, SIZES[steps[index] ?? 0] ?? 6);
  };
  const lines = faults.map((_, index) => write(index));
  while (lines.reduce((sum, line) => sum + line.length, 0) > room) {
    const open = lines.map((line, index) => ((steps[index] ?? 0) < SIZES.length - 1 ? line.length : -1));
    const longest = open.indexOf(Math.max(...open));
    if ((open[longest] ?? -1) < 0) break;
    steps[longest] = (steps[longest] ?? 0) + 1;
    lines[longest] = write(longest);
  }
  return lines.map((line) => clip(line, Math.floor(room / lines.length) + (lines.length === 1 ? 0 : 40)));
}

function lineOf(fault: Fault, size: number): string {
  return ` ${clip(fault.path === '' ? '/' : fault.path, Math.max(24, size))}: ${problemOf(fault, size)}`;
}

function problemOf(fault: Fault, size: number): string {
  const { property } = fault;
  if (fault.keyword === 'required') return `"${clip(property ?? '', 40)}" is missing.`;
  if (fault.keyword === 'propertyNames') return `the name "${clip(property ?? '', size)}" is not allowed.`;
  if (property !== undefined) {
    const { known = [] } = fault;
    const [near] = nearest(property, known, 1);
    const only = known.length === 0 || near !== undefined ? '' : ` (only: ${listOf(known, size)})`;
    return `no property "${clip(property, size)}"${only}${didYouMean(near === undefined ? undefined : `"${near}"`)}.`;
  }
  const { allowed } = fault;
  const types = allowed === undefined || fault.types === undefined ? '' : `${fault.types.join(' or ')} or `;
  const expected =
    allowed === undefined
      ? clip(fault.expected, size * 2)
      : `${types}${allowed.length === 1 ? '' : 'one of '}${listOf(allowed, size)}`;
  return `expected ${expected}, got ${show(fault.received, size)}${didYouMean(nearValue(fault))}.`;
}

function nearValue(fault: Fault): string | undefined {
  if (fault.allowed === undefined || typeof fault.received !== 'string') return undefined;
  const texts = fault.allowed.filter((value) => typeof value === 'string');
  const [near] = nearest(fault.received, texts, 1);
  return near === undefined ? undefined : `"${clip(near, 40)}"`;
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** As many of the values as fit, then how many there are. */
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
    ? JSON.stringify(clip(value, size))
    : clip(JSON.stringify(value) ?? 'something', size);
}

/** Shortens a text at a whole character. */
export function clip(text: string, size: number): string {
  if (text.length <= size) return text;
  const cut = text.slice(0, Math.max(0, size - 1));
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
