import { nearest } from '@kernel/internal';
import * as z from 'zod';
import { parseWith } from '../config/parse-with.ts';
import { oneLine } from '../output/escape.ts';

const texts = z.record(z.string(), z.string());

const serverSchema = z
  .looseObject({
    type: z.string().optional(),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    cwd: z.string().optional(),
    url: z.string().optional(),
    headers: texts.optional(),
    disabled: z.boolean().optional(),
  })
  .superRefine((server, context) => {
    if (server.command !== undefined || server.url !== undefined) return;
    for (const wanted of ['command', 'url']) {
      const [near] = nearest(wanted, Object.keys(server), 1);
      if (near !== undefined)
        context.addIssue({
          code: 'custom',
          message: `has no "${wanted}"; "${oneLine(near, 80)}" may be a misspelling of it`,
        });
    }
  });

/** Of a server that is switched off nothing else counts. */
const entrySchema = z.preprocess(
  (entry) =>
    typeof entry === 'object' && entry !== null && Object.hasOwn(entry, 'disabled') ? withoutRest(entry) : entry,
  serverSchema,
);

function withoutRest(entry: object): object {
  return Reflect.get(entry, 'disabled') === true ? { disabled: true } : entry;
}

const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), entrySchema).optional() });

/**
 * Checks the types in a file of `mcpServers`, for all of its servers at once. Throws a usage error that names the file and each mistake; values are never
 * shown. What the types can't say, `toMcpConfig` checks.
 */
export function checkMcpFile(file: string, content: unknown): unknown {
  return parseWith(fileSchema, content, `--tools: "${file}"`);
}
