import { errorMessage, nearest, untilAborted } from '@kernel/internal';
import {
  checkKeys,
  describeType,
  KernelError,
  type Message,
  optionKeys,
  type Provider,
  type ProviderRequest,
  type Tool,
  type ToolChoice,
} from '@kernel/protocol';
import { checkRequestFields } from '../check-request.ts';
import type { PrepareTurn, TurnChanges, TurnState } from '../options.ts';
import type { OutputMode, Run } from './run-state.ts';

/** One turn of the model. */
export interface ModelTurn {
  /** Counted from 1. */
  readonly number: number;
  /** The history as the model gets it. */
  readonly messages: readonly Message[];
  /** False for a closing turn, which offers no tools. */
  readonly offersTools: boolean;
}

/** The request of one turn, and who gets it. */
export interface PlannedRequest {
  /** Where the request is sent. */
  readonly provider: Provider;
  /** The request. */
  readonly request: ProviderRequest;
  /** Whether `prepareTurn` chose the tools, so that calls of others do not run. */
  readonly isRestricted: boolean;
  /** How a typed answer is asked for. */
  readonly outputMode?: OutputMode | undefined;
}

const OWNER = 'prepareTurn';
const NO_CHANGES: TurnChanges = {};

/** Creates the request of a turn. Asynchronous only with `prepareTurn` or an output, so other runs pay nothing. */
export function planRequest(
  run: Run,
  turn: ModelTurn,
  offered: readonly Tool[],
  signal: AbortSignal,
): PlannedRequest | Promise<PlannedRequest> {
  const { provider, prepareTurn, toolChoice } = run.options;
  if (prepareTurn !== undefined || run.output !== undefined) return planChanged(run, turn, offered, signal);
  const request = createRequest(run, NO_CHANGES, turn.messages, offered, choiceOf(toolChoice, turn), signal);
  return { provider, request, isRestricted: false };
}

/** First `prepareTurn` changes the request, then the typed answer is asked for. */
async function planChanged(
  run: Run,
  turn: ModelTurn,
  offered: readonly Tool[],
  signal: AbortSignal,
): Promise<PlannedRequest> {
  const { options, output } = run;
  const { prepareTurn } = options;
  const changes =
    prepareTurn === undefined ? NO_CHANGES : await changesOf(prepareTurn, stateOf(run, turn, offered, signal));
  const { provider = options.provider, model = options.model, messages: sent = turn.messages } = changes;
  const chosen = turn.offersTools ? changes.tools : undefined;
  const isRestricted = chosen !== undefined;
  const tools = isRestricted ? selectTools(run, offered, chosen) : offered;
  const toolChoice = changes.toolChoice ?? choiceOf(options.toolChoice, turn);
  if (output === undefined)
    return { provider, request: createRequest(run, changes, sent, tools, toolChoice, signal), isRestricted };
  const asked = await untilAborted(output.request(provider, model, tools, toolChoice), signal);
  const { fields, mode: outputMode } = asked;
  const withFormat = fields.responseFormat === undefined ? changes : { ...changes, ...fields };
  const request = createRequest(run, withFormat, asked.messages(sent), asked.tools, fields.toolChoice, signal);
  return { provider, request, isRestricted, outputMode };
}

function createRequest(
  { options: given }: Run,
  changes: TurnChanges,
  messages: readonly Message[],
  tools: readonly Tool[],
  toolChoice: ToolChoice | undefined,
  signal: AbortSignal,
): ProviderRequest {
  const { stream } = given;
  const {
    model = given.model,
    options = given.options,
    responseFormat = given.responseFormat,
    cache = given.cache,
  } = changes;
  return {
    model,
    messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && toolChoice !== undefined ? { toolChoice } : {}),
    ...(stream === undefined ? {} : { stream }),
    ...(options === undefined ? {} : { options }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(cache === undefined ? {} : { cache }),
    signal,
  };
}

/** A forced choice applies to the first turn only. */
function choiceOf(choice: ToolChoice | undefined, { number }: ModelTurn): ToolChoice | undefined {
  return number === 1 || choice === 'none' ? choice : undefined;
}

/** Asks `prepareTurn` for its changes. Throws `CONFIG_INVALID` for what it throws and for changes that no turn can have; `signal.reason` on abort. */
async function changesOf(prepareTurn: PrepareTurn, state: TurnState): Promise<TurnChanges> {
  try {
    const changes = (await untilAborted(Promise.resolve(prepareTurn(state)), state.signal)) ?? NO_CHANGES;
    checkKeys(OWNER, changes, CHANGE_KEYS);
    checkRequestFields({ owner: OWNER, gave: `${OWNER} returned` }, changes);
    const { tools = [] } = changes;
    if (Array.isArray(tools) && tools.every((name: unknown) => typeof name === 'string')) return changes;
    throw new KernelError('CONFIG_INVALID', `${OWNER} returned ${describeType(tools)} as tools.`, {
      hint: 'Return a list of names of tools that are on offer.',
    });
  } catch (error) {
    if (state.signal.aborted || KernelError.is(error)) throw error;
    throw new KernelError('CONFIG_INVALID', `${OWNER} failed: ${errorMessage(error)}`, { cause: error });
  }
}

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

/** Returns the state of a turn whose lists and numbers cannot be changed: the run keeps its own. */
function stateOf(run: Run, turn: ModelTurn, offered: readonly Tool[], signal: AbortSignal): TurnState {
  const tools = Object.isFrozen(offered) ? offered : Object.freeze([...offered]);
  const [messages, usage] = [Object.freeze([...turn.messages]), Object.freeze({ ...run.usage })];
  return { turn: turn.number, messages, usage, tools, context: run.options.context, signal };
}

/**
 * Picks tools by name, and the one that takes the answer: the same list again for the same tools and names, since encoders cache by identity. Throws
 * `CONFIG_INVALID` for a name that is not on offer.
 */
function selectTools(run: Run, offered: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const selections = (run.selections ??= new WeakMap());
  const ofList = selections.get(offered) ?? new Map<string, readonly Tool[]>();
  selections.set(offered, ofList);
  const key = JSON.stringify(names);
  const existing = ofList.get(key);
  if (existing !== undefined) return existing;
  const known = new Set(offered.map(({ name }) => name));
  for (const name of names) if (!known.has(name)) throw notOnOffer(name, known);
  const chosen = new Set(names);
  const selected = offered.filter(({ name }) => chosen.has(name) || run.output?.isAnswer(name) === true);
  ofList.set(key, Object.freeze(selected));
  return selected;
}

function notOnOffer(name: string, offered: ReadonlySet<string>): KernelError {
  const [near] = nearest(name, offered, 1);
  return new KernelError('CONFIG_INVALID', `${OWNER} returned the tool "${name}", which is not on offer.`, {
    hint: near === undefined ? 'Return names of tools on offer.' : `Did you mean "${near}"?`,
  });
}
