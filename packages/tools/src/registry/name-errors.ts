import { nearest, truncate, sliceHead } from '@kernel/internal';
import { KernelError, type ToolResult, isToolName, toErrorResult } from '@kernel/protocol';

/** Throws `TOOL_NAME_INVALID` for a name that not every model API accepts. */
export function checkName(name: string): void {
  if (isToolName(name)) return;
  if (name.trim() === '') {
    throw new KernelError('TOOL_NAME_INVALID', 'The tool name is empty: <unnamed>.', { hint: 'Give the tool a name.' });
  }
  const suggestion = legalName(name);
  throw new KernelError('TOOL_NAME_INVALID', `"${truncate(name, 80)}" is not a valid tool name.`, {
    hint: `Use 1 to 64 letters, digits, "_" or "-"${suggestion === undefined ? '.' : `, such as "${suggestion}".`}`,
    ...(suggestion === undefined ? {} : { data: { suggestion } }),
  });
}

export function nameTakenError(names: readonly string[], isTaken: (name: string) => boolean): KernelError {
  const [name = ''] = names;
  const suggestions = names.flatMap((taken) => freeNames(taken, isTaken, names.length === 1 ? 3 : 1));
  const message =
    names.length === 1
      ? `Tool "${name}" is already registered.`
      : `Tools are already registered: ${names.map((taken) => `"${taken}"`).join(', ')}.`;
  return new KernelError('TOOL_ALREADY_EXISTS', message, {
    hint: `Use a different name, such as "${suggestions[0] ?? ''}", or replace(), or mount the tools under a prefix.`,
    data: { names: [...names], suggestions },
  });
}

export function unknownNameError(name: string, known: Iterable<string>): KernelError {
  const near = nearest(name, known);
  return new KernelError('TOOL_NOT_FOUND', `No tool named "${sliceHead(name, 80)}" is registered.`, {
    ...(near.length === 0 ? {} : { hint: `Did you mean ${orList(near)}?` }),
    data: { name: sliceHead(name, 80), near: [...near] },
  });
}

/** The result of a call to a tool that is not on offer, with similar names, or with all names if there are few. */
export function unknownToolResult(name: string, offered: readonly string[]): ToolResult {
  const text = typeof name === 'string' ? truncate(name, 64) : '<unnamed>'; // a provider may have let anything through
  const near = typeof name === 'string' ? nearest(name, offered) : [];
  return toErrorResult(
    new KernelError('TOOL_NOT_FOUND', `no tool named "${text}".`, {
      hint: hintFor(near, offered),
      data: { name: text, near: [...near] },
    }),
  );
}

const FEW_NAMES = 8;

function hintFor(near: readonly string[], offered: readonly string[]): string {
  if (near.length > 0) return `Did you mean ${orList(near)}?`;
  if (offered.length === 0) return 'No tool is offered.';
  if (offered.length > FEW_NAMES) return 'No tool on offer has a similar name.';
  return `The tools are ${offered.map((name) => `"${name}"`).join(', ')}.`;
}

function orList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' or ');
}

const MAX_LENGTH = 64;

/** Returns free names similar to a taken one: `x_v2`, `x_alt`, `x_2`, then `x_3` and so on; all of them valid. */
function freeNames(name: string, isTaken: (candidate: string) => boolean, count = 3): readonly string[] {
  const free: string[] = [];
  const tryCandidate = (suffix: string): void => {
    const candidate = `${sliceHead(name, MAX_LENGTH - suffix.length)}${suffix}`;
    if (free.length < count && !isTaken(candidate)) free.push(candidate);
  };
  for (const suffix of ['_v2', '_alt', '_2']) tryCandidate(suffix);
  for (let number = 3; free.length < count; number += 1) tryCandidate(`_${number}`);
  return free;
}

/** Returns a valid tool name with other characters replaced by `_`, at most 64 characters long; `undefined` if nothing is left. */
function legalName(name: string): string | undefined {
  const replaced = sliceHead(name.trim().replaceAll(/[^A-Za-z0-9_-]+/g, '_'), MAX_LENGTH);
  return isToolName(replaced) && /[A-Za-z0-9]/.test(replaced) ? replaced : undefined;
}
