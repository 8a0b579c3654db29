import {
  type AvailableCommand,
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
} from '@agentclientprotocol/sdk/unstable';
import { sliceHead, truncate, visibleLine } from '@kernel/internal';
import type { McpPrompt } from '@kernel/mcp';
import { EDITOR_COMMANDS } from '../chat/slash-commands.ts';
import type { AgentMode } from '@kernel/toolbox/agents';

/** The modes, the strictest first. */
const MODES: readonly { readonly id: AgentMode; readonly name: string; readonly description: string }[] = [
  { id: 'read-only', name: 'Read only', description: 'Reads and searches; runs no commands and changes nothing' },
  {
    id: 'plan',
    name: 'Plan',
    description:
      'Like read only, plus Git commands that only read; asks before other commands, and describes what it would change',
  },
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

const MAX_PROMPTS = 100;
/** The most characters of the name of a model, and of what is shown of a value or a prompt. */
const MAX_TEXT = 200;
/** The most models that an editor is offered. */
export const MAX_MODELS = 500;

/** The commands of a chat, and the prompts of servers, as an editor offers them. */
export function commandsOf(prompts: readonly McpPrompt[]): AvailableCommand[] {
  const ofServers = prompts.slice(0, MAX_PROMPTS).map(({ server, name, description = '', arguments: fields }) => ({
    name: visibleLine(`${server}:${name}`),
    usage: visibleLine(fields.map((field) => `${field.name}=${field.required ? '…' : '[…]'}`).join(' ')),
    summary: truncate(visibleLine(description), MAX_TEXT),
  }));
  return [...EDITOR_COMMANDS, ...ofServers].map(({ name, usage, summary }) => ({
    name,
    description: summary,
    ...(usage !== '' && { input: { hint: usage } }),
  }));
}

/** The mode of this name; undefined if there is none. */
export function modeOf(name: unknown): AgentMode | undefined {
  return MODES.find(({ id }) => id === name)?.id;
}

/** The one of two modes that lets less be done. */
export function stricterMode(one: AgentMode, other: AgentMode): AgentMode {
  return MODES.find(({ id }) => id === one || id === other)?.id ?? one;
}

/** Returns the settings with one changed. Throws for an unknown option, and for an invalid value. */
export function changeSetting(settings: SessionSettings, option: string, value: string | boolean): SessionSettings {
  const mode = modeOf(value);
  const effort = EFFORTS.find((each) => each === value);
  if (option === 'mode' && mode !== undefined) return { ...settings, mode };
  if (option === 'effort' && effort !== undefined) return { ...settings, effort };
  if (option === 'model' && typeof value === 'string' && value !== '' && value.length <= MAX_TEXT)
    // Where the vendor gives no list, the one that was in use can be chosen again.
    return { ...settings, model: value, models: namesOf(settings) };
  const given = sliceHead(JSON.stringify(value), MAX_TEXT);
  throw RequestError.invalidParams(undefined, `the option ${JSON.stringify(sliceHead(option, 40))} cannot be ${given}`);
}

export function modesOf({ mode }: SessionSettings): SessionModeState {
  return { currentModeId: mode, availableModes: MODES.map((each) => ({ ...each })) };
}

/** The options of a session: its mode, as clients without `modes` set it, its model, and how much that may think. */
export function optionsOf({ mode, model, models, effort }: SessionSettings): SessionConfigOption[] {
  const names = namesOf({ model, models });
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
      options: names.map((name) => ({ value: name, name: visibleLine(name) })),
    },
    {
      type: 'select',
      id: 'effort',
      name: 'Thinking',
      description: 'How much the model thinks, if it can',
      category: 'thought_level',
      currentValue: effort,
      options: EFFORTS.map((value) => ({ value, name: value === 'default' ? "the model's default" : value })),
    },
  ];
}

function namesOf({ model, models }: Pick<SessionSettings, 'model' | 'models'>): readonly string[] {
  return models.includes(model) ? models : [model, ...models].slice(0, MAX_MODELS);
}
