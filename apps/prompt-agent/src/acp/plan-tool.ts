import { isObject, parseJson, visibleLine } from '@kernel/internal';
import type { ToolWithHandler } from '@kernel/protocol';
import type { PlanEntry } from '@agentclientprotocol/sdk/unstable';

interface PlanInput {
  readonly entries: readonly (Omit<PlanEntry, 'priority'> & Partial<Pick<PlanEntry, 'priority'>>)[];
}

/** Creates the tool `update_plan`, with which the model says what it is going to do and how far it is: the editor shows it beside the conversation. */
export function planTool(show: (entries: PlanEntry[]) => void): ToolWithHandler {
  return {
    tool: {
      name: 'update_plan',
      title: 'Update the plan',
      description:
        'Shows the user the steps of your work and your progress. Use it for work of three or more steps: at its start, and whenever a step begins or ends.',
      parameters: {
        type: 'object',
        properties: {
          entries: {
            type: 'array',
            maxItems: 50,
            description: 'All steps, every time: they replace the previous ones.',
            items: {
              type: 'object',
              properties: {
                content: { type: 'string', minLength: 1, maxLength: 500, description: 'What is done in the step.' },
                priority: { enum: ['high', 'medium', 'low'] },
                status: { enum: ['pending', 'in_progress', 'completed'] },
              },
              required: ['content', 'status'],
              additionalProperties: false,
            },
          },
        },
        required: ['entries'],
        additionalProperties: false,
      },
      effect: 'read',
    },
    handler({ entries }: PlanInput) {
      show(toPlan(entries));
      return 'The user sees the plan.';
    },
  };
}

/** The plan that a call made, from its arguments; undefined if they have none. */
export function planIn(json: string): PlanEntry[] | undefined {
  const input = parseJson(json);
  const entries = isObject(input) && Array.isArray(input['entries']) ? input['entries'].filter(isEntry) : [];
  return entries.length === 0 ? undefined : toPlan(entries);
}

function isEntry(entry: unknown): entry is PlanInput['entries'][number] {
  return isObject(entry) && typeof entry['content'] === 'string' && typeof entry['status'] === 'string';
}

function toPlan(entries: PlanInput['entries']): PlanEntry[] {
  return entries.map(({ content, status, priority = 'medium' }) => ({
    content: visibleLine(content),
    status,
    priority,
  }));
}
