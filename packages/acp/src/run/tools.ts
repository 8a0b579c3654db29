import { canonicalJson, jsonDigest } from '@kernel/internal';
import type { JsonObject, Tool } from '@kernel/protocol';
import type { AgentRequestName } from '../options.ts';

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const MODE = { type: 'string', pattern: '^[0-7]{3}$' };

const COMMAND = schemaOf(['command'], { agent: TEXT, command: { ...TEXTS, minItems: 1 }, cwd: TEXT });
const FILE = {
  type: 'object',
  properties: { path: TEXT, before: TEXT, after: TEXT, mode: MODE, newMode: MODE, lineBreaks: { type: 'array' } },
  required: ['path'],
};

/** The tools of the inner run: what an agent can ask for. */
export const AGENT_TOOLS: readonly Tool[] = [
  {
    name: 'run_command',
    title: 'Run a command for the agent',
    description: 'Runs a program for the agent in its copy.',
    parameters: COMMAND,
    effect: 'external',
  },
  {
    name: 'agent_command' satisfies AgentRequestName,
    title: 'Let the agent run a command',
    description:
      'Lets the agent run a program by itself: in its copy, but not isolated, with the rights of the user and without a time limit.',
    parameters: COMMAND,
    effect: 'external',
  },
  {
    name: 'agent_permission' satisfies AgentRequestName,
    title: 'Allow what the agent asks for',
    description: 'Lets the agent do what it asks for.',
    parameters: schemaOf(['kind', 'title'], { agent: TEXT, kind: TEXT, title: TEXT, paths: TEXTS, input: {} }),
    effect: 'external',
  },
  {
    name: 'apply_patch',
    title: 'Bring back the changes of the agent',
    description: 'Makes the changes of the agent in the workspace.',
    parameters: schemaOf(['patch'], {
      agent: TEXT,
      patch: { type: 'string', minLength: 1 },
      patchDigest: TEXT,
      files: { type: 'array', items: FILE },
      skipped: TEXTS,
    }),
    effect: 'write',
  },
];

function schemaOf(required: readonly string[], properties: JsonObject): Tool['parameters'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Whether a call is a request for permission: it does nothing, and says that the agent may. */
export function isPermission(callId: string): boolean {
  return callId.startsWith('permission-');
}

/** Returns what the result of a permission says: what it is for. */
export function allowedText(json: string): string {
  return `The agent may do it (${jsonDigest(canonicalJson(JSON.parse(json)))}).`;
}
