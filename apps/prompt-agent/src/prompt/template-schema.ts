import * as z from 'zod';
import { parseWith } from '../config/parse-with.ts';

const schema = z.strictObject({
  prompt: z.string().optional(),
  system: z.string().optional(),
  model: z.string().optional(),
  defaults: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
});

/** Checks the content of a template. Throws a usage error that names the file and the key. */
export function templateSchema(file: string, content: unknown): z.output<typeof schema> {
  return parseWith(schema, content, file);
}
