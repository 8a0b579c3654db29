import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createWorkspace } from '../workspace/index.ts';
import { skillFileOf } from './open-skill.ts';
import { parseSkill } from './parse-skill.ts';
import type { AbortOptions } from '../workspace/index.ts';
import { quote } from '../workspace/errors.ts';

const MAX_BYTES = 262_144;

/**
 * Checks a folder against the Agent Skills specification, as strictly as its reference library: resolves to every violation, unknown fields included;
 * none for a valid skill.
 */
export async function validateSkill(folder: string, { signal }: AbortOptions = {}): Promise<readonly string[]> {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there === undefined) return [`Path does not exist: ${quote(folder)}`];
  if (!there.isDirectory()) return [`Not a directory: ${quote(folder)}`];
  try {
    const workspace = await createWorkspace({ root: folder, denyCredentials: false, hardLinks: 'read' });
    const file = skillFileOf(await workspace.list('.', { signal }));
    if (file === undefined) return ['Missing required file: SKILL.md'];
    const { bytes } = await workspace.read(file, { maxBytes: MAX_BYTES, signal });
    const { errors, unknown } = await parseSkill(new TextDecoder().decode(bytes), basename(resolve(folder)));
    return [...unknown, ...errors];
  } catch (error) {
    signal?.throwIfAborted();
    return [error instanceof Error ? error.message : 'SKILL.md cannot be read.'];
  }
}
