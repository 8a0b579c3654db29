import { nearest } from '@kernel/internal';
import type { PermissionRule } from '@kernel/toolbox/permissions';
import * as z from 'zod';
import { oneLine } from '../output/escape.ts';
import { parseWith } from './parse-with.ts';

// A module of its own, since it loads zod: it is imported when there is a file to read.

export { fromConfig } from '@kernel/agent/config';

const ownSchema = z.looseObject({ sessions: z.boolean().optional() });

/** Checks the settings of the program itself in the user's file, and returns the others. Throws a usage error that names the file. */
export function takeOwnSettings(parsed: unknown, file: string): unknown {
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, 'sessions')) return parsed;
  const { sessions: _, ...others } = parseWith(ownSchema, parsed, file);
  return others;
}

export const decisionSchema = z.object({ sha256: z.string(), allowed: z.boolean() });

/** A key of `keys.json`: the key itself, or the name of the keyring that has it. */
export const keySchema = z.union([z.object({ key: z.string() }), z.object({ keyring: z.string() })]);

export type KeyEntry = z.output<typeof keySchema>;

/** The known tools of servers in `mcp-tools.json`: by server and tool, the hash of its definition. */
export const pinsSchema = z.record(z.string(), z.record(z.string(), z.string()));

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
 * Checks the types in a file of `mcpServers`, for all of its servers at once. Throws a usage error that begins with `what` and names each mistake; values are never
 * shown. What the types can't say, `toMcpConfig` checks.
 */
export function checkMcpFile(what: string, content: unknown): Readonly<Record<string, unknown>> {
  return parseWith(fileSchema, content, what);
}

export interface UserRule {
  readonly rule: PermissionRule;
  /** The workspace that it holds for, an absolute path; absent if it holds everywhere. */
  readonly workspace?: string;
}

const ruleSchema = z
  .strictObject({
    allow: z.string().optional(),
    ask: z.string().optional(),
    deny: z.string().optional(),
    workspace: z.string().optional(),
  })
  .transform(({ workspace, ...verdicts }, context): UserRule => {
    const { allow, ask, deny } = verdicts;
    const [rule, ...others]: readonly PermissionRule[] = [
      ...(allow === undefined ? [] : [{ allow }]),
      ...(ask === undefined ? [] : [{ ask }]),
      ...(deny === undefined ? [] : [{ deny }]),
    ];
    if (rule !== undefined && others.length === 0) return { rule, ...(workspace === undefined ? {} : { workspace }) };
    context.addIssue({
      code: 'custom',
      message: 'must have one of "allow", "ask" and "deny": { "allow": "TOOL(pattern)" }',
    });
    return z.NEVER;
  });

const rulesSchema = z.strictObject({ rules: z.array(ruleSchema) });

/** Checks the content of `permissions.json`. Throws a usage error that names the file and each mistake: a rule that is passed over may have denied something. */
export function parseUserRules(file: string, content: unknown): readonly UserRule[] {
  return parseWith(rulesSchema, content, file).rules;
}

const schema = z.strictObject({
  prompt: z.string().optional(),
  system: z.string().optional(),
  model: z.string().optional(),
  defaults: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
});

export function templateSchema(file: string, content: unknown): z.output<typeof schema> {
  return parseWith(schema, content, file);
}
