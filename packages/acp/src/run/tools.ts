import { canonicalJson, jsonDigest } from '@kernel/internal';
import {
  type CallContext,
  KernelError,
  type RunningCall,
  type Tool,
  type ToolCall,
  toErrorResult,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import type { AgentRequestName } from '../requests/permission.ts';

/** What runs the calls that an agent's requests became. */
export interface AgentCalls {
  /** Runs a command for the agent. */
  runCommand(call: ToolCall, context: CallContext & RunningCall): Promise<ToolResult>;
  /** Brings back its changes. */
  applyPatch(call: ToolCall, context: CallContext): Promise<ToolResult>;
}

const TEXT = { type: 'string' } as const;
const MODE = { type: 'string', pattern: '^[0-7]{3}$' } as const;

const COMMAND = {
  type: 'object',
  properties: { agent: TEXT, command: { type: 'array', items: TEXT, minItems: 1 }, cwd: TEXT },
  required: ['command'],
  additionalProperties: false,
} as const;

const RUN_COMMAND: Tool = {
  name: 'run_command',
  title: 'Run a command for the agent',
  description: 'Runs a program for the agent in its copy.',
  parameters: COMMAND,
  effect: 'external',
};

const AGENT_COMMAND: Tool = {
  name: 'agent_command' satisfies AgentRequestName,
  title: 'Let the agent run a command',
  description:
    'Lets the agent run a program by itself: in its copy, but not isolated, with the rights of the user and without a time limit.',
  parameters: COMMAND,
  effect: 'external',
};

const AGENT_PERMISSION: Tool = {
  name: 'agent_permission' satisfies AgentRequestName,
  title: 'Allow what the agent asks for',
  description: 'Lets the agent do what it asks for.',
  parameters: {
    type: 'object',
    properties: { agent: TEXT, kind: TEXT, title: TEXT, paths: { type: 'array', items: TEXT }, input: {} },
    required: ['kind', 'title'],
    additionalProperties: false,
  },
  effect: 'external',
};

const APPLY_PATCH: Tool = {
  name: 'apply_patch',
  title: 'Bring back the changes of the agent',
  description: 'Makes the changes of the agent in the workspace.',
  parameters: {
    type: 'object',
    properties: {
      agent: TEXT,
      patch: { type: 'string', minLength: 1 },
      patchDigest: TEXT,
      files: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            path: TEXT,
            before: TEXT,
            after: TEXT,
            mode: MODE,
            newMode: MODE,
            lineBreaks: { type: 'array' },
          },
          required: ['path'],
        },
      },
      skipped: { type: 'array', items: TEXT },
    },
    required: ['patch'],
    additionalProperties: false,
  },
  effect: 'write',
};

const TOOLS: readonly Tool[] = Object.freeze([RUN_COMMAND, AGENT_COMMAND, AGENT_PERMISSION, APPLY_PATCH]);

/** Whether a call is a request for permission: it does nothing, and says that the agent may. */
export function isPermission(callId: string): boolean {
  return callId.startsWith('permission-');
}

/** What the result of a permission says: what it is for. */
export function allowedText(json: string): string {
  return `The agent may do it (${jsonDigest(canonicalJson(JSON.parse(json)))}).`;
}

/** Creates the tools of the inner run: what an agent can ask for. */
export function createAgentTools(calls: AgentCalls): Toolset {
  return toToolset({
    list: () => TOOLS,
    call(call, context) {
      if (call.name === 'apply_patch') return calls.applyPatch(call, context);
      if (call.name === 'run_command') return calls.runCommand(call, context);
      if (call.name === 'agent_command' || call.name === 'agent_permission')
        return Promise.resolve({ forLLM: allowedText(call.arguments) });
      return Promise.resolve(toErrorResult(new KernelError('TOOL_NOT_FOUND', `An agent has no "${call.name}".`)));
    },
  });
}
