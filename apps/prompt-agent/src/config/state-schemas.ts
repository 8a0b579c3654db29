import * as z from 'zod';

/** What the user decided on the config file of a project, in `project-configs.json`. */
export const decisionSchema = z.object({ sha256: z.string(), allowed: z.boolean() });

/** A key of `keys.json`: the key itself, or the name of the keyring that has it. */
export const keySchema = z.union([z.object({ key: z.string() }), z.object({ keyring: z.string() })]);

/** An entry of `keys.json`. */
export type KeyEntry = z.output<typeof keySchema>;

/** The known tools of servers in `mcp-tools.json`: by server and tool, the hash of its definition. */
export const pinsSchema = z.record(z.string(), z.record(z.string(), z.string()));
