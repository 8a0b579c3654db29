import type { Tool } from '@kernel/protocol';

const ID = { type: 'string', description: 'The id that spawn gave, such as "agent-1".' } as const;

export const SPAWN = {
  name: 'spawn',
  title: 'Start an agent',
  description:
    'Starts an agent for one part of the work and returns its answer. It knows only its task, so put everything it needs into it. In the background its answer comes later.',
  parameters: {
    type: 'object',
    properties: {
      task: { type: 'string', minLength: 1, description: 'What the agent is to do, with everything it needs to know.' },
      tools: {
        type: 'array',
        items: { type: 'string' },
        description: 'Names of the tools it may use. Absent: all that agents can have.',
      },
      turns: { type: 'integer', minimum: 1, description: 'How many model calls it may make.' },
      tokens: { type: 'integer', minimum: 1, description: 'How many tokens it may use in all.' },
      background: { type: 'boolean', description: 'True to go on without waiting for its answer.' },
    },
    required: ['task'],
    additionalProperties: false,
  },
} as const satisfies Tool;

export const SPAWN_STATUS: Tool = {
  name: 'spawn_status',
  title: 'Look at agents',
  description:
    'Says what the agents that you started are doing: their state, how many calls they made, and the last one.',
  parameters: { type: 'object', properties: { id: ID }, additionalProperties: false },
  effect: 'read',
};

export const SPAWN_STOP: Tool = {
  name: 'spawn_stop',
  title: 'Stop an agent',
  description: 'Stops an agent that you started.',
  parameters: { type: 'object', properties: { id: ID }, required: ['id'], additionalProperties: false },
  // It can only end what the model itself began, so nobody is asked.
  effect: 'read',
};
