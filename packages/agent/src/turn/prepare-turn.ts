import { nearest, untilAborted, errorMessage } from '@kernel/internal';
import {
  checkKeys,
  describeType,
  KernelError,
  type Message,
  type ModelOptions,
  optionKeys,
  type PromptCache,
  type Provider,
  type ResponseFormat,
  type Tool,
  type ToolChoice,
  type Usage,
} from '@kernel/protocol';

import { checkRequestFields } from '../check-request.ts';

/** The state that `prepareTurn` decides on. */
export interface TurnState<Context = unknown> {
  /** The number of the turn, from 1. */
  readonly turn: number;
  /** The history as the model would get it. Frozen, like the other lists: return the changes. */
  readonly messages: readonly Message[];
  /** The tokens that the run has used so far. */
  readonly usage: Usage;
  /** The tools on offer. */
  readonly tools: readonly Tool[];
  /** The `context` of the run. */
  readonly context?: Context | undefined;
  /** Aborts when the run does. */
  readonly signal: AbortSignal;
}

/** The changes of `prepareTurn`, for one turn. Whatever is left out stays as the run has it. */
export interface TurnChanges {
  /** Asks another provider. */
  readonly provider?: Provider | undefined;
  /** Asks another model. */
  readonly model?: string | undefined;
  /** Offers only the tools with these names. Calls of others do not run. */
  readonly tools?: readonly string[] | undefined;
  /** Whether the model may or must call tools in this turn. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Model options, in place of those of the run. */
  readonly options?: ModelOptions | undefined;
  /** Asks for a reply as JSON that matches a schema. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** How the vendor's prompt cache is used. */
  readonly cache?: PromptCache | undefined;
  /** What the model gets as the conversation. The history stays as it is. */
  readonly messages?: readonly Message[] | undefined;
}

/** Changes the request of a turn. Returns nothing to leave it unchanged. It has no timeout of its own: `limits.timeMs` ends it. */
export type PrepareTurn<Context = unknown> = (
  state: TurnState<Context>,
) => TurnChanges | undefined | void | Promise<TurnChanges | undefined | void>;

const OWNER = 'prepareTurn';
const CHANGE_KEYS = optionKeys<TurnChanges>({
  provider: true,
  model: true,
  tools: true,
  toolChoice: true,
  options: true,
  responseFormat: true,
  cache: true,
  messages: true,
});
const NO_CHANGES: TurnChanges = {};

/** Asks `prepareTurn` for its changes. Throws `CONFIG_INVALID` for what it throws and for changes that no turn can have; `signal.reason` on abort. */
export async function prepareTurn(prepare: PrepareTurn, state: TurnState): Promise<TurnChanges> {
  return (await untilAborted(callPrepare(prepare, freezeTurnState(state)), state.signal)) ?? NO_CHANGES;
}

/** Turns a throw into an error that names its source. */
async function callPrepare(prepare: PrepareTurn, state: TurnState): Promise<TurnChanges | undefined> {
  try {
    const changes = (await prepare(state)) ?? undefined;
    if (changes !== undefined) checkChanges(changes);
    return changes;
  } catch (error) {
    if (KernelError.is(error)) throw error;
    throw new KernelError('CONFIG_INVALID', `${OWNER} failed: ${errorMessage(error)}`, { cause: error });
  }
}

function checkChanges(changes: TurnChanges): void {
  checkKeys(OWNER, changes, CHANGE_KEYS);
  checkRequestFields({ owner: OWNER, gave: `${OWNER} returned` }, changes);
  const { tools } = changes;
  if (tools !== undefined && !isNameList(tools))
    throw new KernelError('CONFIG_INVALID', `${OWNER} returned ${describeType(tools)} as tools.`, {
      hint: 'Return a list of names of tools that are on offer.',
    });
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every((name: unknown) => typeof name === 'string');
}

/** Returns the state of a turn whose lists and numbers cannot be changed: the run keeps its own. */
function freezeTurnState(state: TurnState): TurnState {
  return {
    ...state,
    messages: Object.freeze([...state.messages]),
    tools: Object.isFrozen(state.tools) ? state.tools : Object.freeze([...state.tools]),
    usage: Object.freeze({ ...state.usage }),
  };
}

/** Returns what picks tools by name: the same list again for the same tools and names, since encoders cache by identity. Throws `CONFIG_INVALID` for a name that is not on offer. */
export function createToolSelection(): (offered: readonly Tool[], names: readonly string[]) => readonly Tool[] {
  const known = new WeakMap<readonly Tool[], Map<string, readonly Tool[]>>();
  return (offered, names) => {
    const selections = known.get(offered) ?? new Map<string, readonly Tool[]>();
    known.set(offered, selections);
    const key = JSON.stringify(names);
    const existing = selections.get(key);
    if (existing !== undefined) return existing;
    const selected = Object.freeze(selectTools(offered, names));
    selections.set(key, selected);
    return selected;
  };
}

function selectTools(offered: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const offeredNames = new Set(offered.map((tool) => tool.name));
  const unknown = names.find((name) => !offeredNames.has(name));
  if (unknown !== undefined) {
    const [near] = nearest(unknown, offeredNames, 1);
    throw new KernelError('CONFIG_INVALID', `${OWNER} returned the tool "${unknown}", which is not on offer.`, {
      hint: near === undefined ? 'Return names of tools on offer.' : `Did you mean "${near}"?`,
    });
  }
  const selected = new Set(names);
  return offered.filter((tool) => selected.has(tool.name));
}
