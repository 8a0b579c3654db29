import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk/unstable';
import type { AgentMode } from '@kernel/toolbox/agents';

const MODES: readonly { readonly id: AgentMode; readonly name: string; readonly description: string }[] = [
  { id: 'read-only', name: 'Read only', description: 'Reads and searches; runs no commands and changes nothing' },
  { id: 'plan', name: 'Plan', description: 'As read only, with the Git commands that read: says what it would change' },
  { id: 'act', name: 'Act', description: 'Changes files and runs commands; asks before each, unless a rule allows it' },
];

/** How much a model may think; the first leaves it to the model. */
const EFFORTS = ['default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** What a session can be set to, and is. */
export interface SessionSettings {
  readonly mode: AgentMode;
  readonly model: string;
  readonly effort: string;
  /** The models that the provider has, as far as they are known. */
  readonly models: readonly string[];
}

export function isMode(id: string): id is AgentMode {
  return MODES.some((mode) => mode.id === id);
}

export function isEffort(value: string): boolean {
  return EFFORTS.some((effort) => effort === value);
}

export function modesOf({ mode }: SessionSettings): SessionModeState {
  return { currentModeId: mode, availableModes: MODES.map((each) => ({ ...each })) };
}

/** The options of a session: its mode, as clients without `modes` set it, its model, and how much that may think. */
export function optionsOf({ mode, model, models, effort }: SessionSettings): SessionConfigOption[] {
  const names = models.includes(model) ? models : [model, ...models];
  return [
    {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      currentValue: mode,
      options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      type: 'select',
      id: 'model',
      name: 'Model',
      category: 'model',
      currentValue: model,
      options: names.map((name) => ({ value: name, name })),
    },
    {
      type: 'select',
      id: 'effort',
      name: 'Thinking',
      description: 'How much the model may think, if it can',
      category: 'thought_level',
      currentValue: effort,
      options: EFFORTS.map((value) => ({ value, name: value === 'default' ? 'as the model does' : value })),
    },
  ];
}
