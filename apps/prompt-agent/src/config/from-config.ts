// A module of its own, since it loads zod: it is imported when there is a file to read.
import * as z from 'zod';
import { parseWith } from './parse-with.ts';

export { fromConfig } from '@kernel/agent/config';

const ownSchema = z.looseObject({ sessions: z.boolean().optional() });

/** Checks the settings of the program itself in the user's file, and returns the others. Throws a usage error that names the file. */
export function takeOwnSettings(parsed: unknown, file: string): unknown {
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, 'sessions')) return parsed;
  const { sessions: _, ...others } = parseWith(ownSchema, parsed, file);
  return others;
}
