import { KernelError } from '@kernel/protocol';
import { type FilePatch, indexOfSequence, parsePatch } from '@kernel/toolbox/files';
import { linesOf } from './lines.ts';

/** The line behind a hunk that reaches to the end of its file. */
export const AT_END = '*** End of File';

/**
 * Joins parts to a patch in the V4A form, which `apply_patch` takes: what a person is shown, and what rules are matched against. The form has no word for the
 * kind of line breaks and for a last line without one.
 */
export function joinPatch(parts: readonly string[]): string {
  return ['*** Begin Patch', ...parts, '*** End Patch'].join('\n');
}

/** Reads a patch of `writePart`; if a person `isEdited` it, line breaks may differ. An error names the wrong line. */
export function readPatch(text: string, isEdited = false): readonly FilePatch[] {
  const patches = parsePatch(text, !isEdited);
  const moved = patches.find((patch) => patch.type === 'update' && patch.to !== undefined);
  if (moved === undefined) return patches;
  throw new KernelError('ARGUMENTS_INVALID', `A patch of an agent cannot move ${JSON.stringify(moved.path)}.`);
}

/** Returns the lines of a file after its patch. Throws `TOOL_FAILED` unless the lines of each hunk match exactly. */
export function linesAfter(before: string | undefined, patch: FilePatch): readonly string[] {
  if (patch.type === 'delete') return [];
  if (patch.type === 'add') return patch.lines;
  const lines = linesOf(before ?? '');
  // The part of an empty file whose mode alone changes: the form asks for a line.
  if (lines.length === 0 && patch.hunks.every((hunk) => hunk.lines.every(({ sign, text }) => sign + text === ' ')))
    return [];
  const out: (readonly string[])[] = [];
  let at = 0;
  for (const { lines: hunk, isAtEnd } of patch.hunks) {
    const old = hunk.filter(({ sign }) => sign !== '+').map(({ text }) => text);
    const index = indexOfSequence(lines, old, isAtEnd ? Math.max(at, lines.length - old.length) : at);
    if (index === -1)
      throw new KernelError('TOOL_FAILED', `The lines to change in ${JSON.stringify(patch.path)} are no longer there.`);
    out.push(
      lines.slice(at, index),
      hunk.filter(({ sign }) => sign !== '-').map(({ text }) => text),
    );
    at = index + old.length;
  }
  return [...out, lines.slice(at)].flat();
}
