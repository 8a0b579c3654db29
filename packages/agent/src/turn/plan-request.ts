import { untilAborted } from '@kernel/internal';
import type { Message, Provider, ProviderRequest, Tool, ToolChoice } from '@kernel/protocol';
import type { OutputMode, OutputRequest } from '../output/typed-output.ts';
import type { ModelResources, ModelTurn } from './types.ts';
import { prepareTurn, type TurnChanges } from './prepare-turn.ts';

/** The request of one turn, and who gets it. */
export interface PlannedRequest {
  /** Where the request is sent. */
  readonly provider: Provider;
  /** The request. */
  readonly request: ProviderRequest;
  /** Whether `prepareTurn` chose the tools, so that calls of others do not run. */
  readonly isRestricted: boolean;
  /** How a typed answer is asked for. */
  readonly outputMode?: OutputMode;
}

/** The request of a turn, before what an output adds to it. */
interface TurnRequest {
  readonly provider: Provider;
  readonly model: string;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly messages: readonly Message[];
  readonly changes: TurnChanges;
}

/** Creates the request of a turn. Asynchronous only with `prepareTurn` or an output, so other runs pay nothing. */
export function planRequest(
  resources: ModelResources,
  turn: ModelTurn,
  offered: readonly Tool[],
  messages: readonly Message[],
  signal: AbortSignal,
): PlannedRequest | Promise<PlannedRequest> {
  const { output, prepareTurn: prepare } = resources;
  if (prepare !== undefined || output !== undefined) return planAsync(resources, turn, offered, messages, signal);
  return createRequest(resources, turnRequestOf(resources, turn, offered, messages, {}), undefined, signal);
}

async function planAsync(
  resources: ModelResources,
  turn: ModelTurn,
  offered: readonly Tool[],
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<PlannedRequest> {
  const { callContext, prepareTurn: prepare, output } = resources;
  const state = {
    turn: turn.number,
    messages,
    usage: turn.usage,
    tools: offered,
    context: callContext.context,
    signal,
  };
  const changes = prepare === undefined ? {} : await prepareTurn(prepare, state);
  const turnRequest = turnRequestOf(resources, turn, offered, messages, changes);
  const { provider, model, tools, toolChoice } = turnRequest;
  const requesting = output?.request(provider, model, tools, toolChoice);
  const outputRequest = requesting === undefined ? undefined : await untilAborted(requesting, signal);
  return createRequest(resources, turnRequest, outputRequest, signal);
}

function turnRequestOf(
  resources: ModelResources,
  turn: ModelTurn,
  offered: readonly Tool[],
  messages: readonly Message[],
  changes: TurnChanges,
): TurnRequest {
  const { settings, selectTools } = resources;
  const isRestricted = changes.tools !== undefined && turn.offersTools;
  return {
    provider: changes.provider ?? resources.provider,
    model: changes.model ?? settings.model,
    tools: isRestricted ? selectTools(offered, withAnswer(resources, offered, changes.tools)) : offered,
    toolChoice: changes.toolChoice ?? choiceOf(settings.toolChoice, turn.number),
    messages: changes.messages ?? messages,
    changes,
  };
}

function createRequest(
  { settings }: ModelResources,
  { provider, model, tools: available, toolChoice, messages, changes }: TurnRequest,
  output: OutputRequest | undefined,
  signal: AbortSignal,
): PlannedRequest {
  const { stream } = settings;
  const { options = settings.options, cache = settings.cache } = changes;
  const tools = output?.tools ?? available;
  const choice = output === undefined ? toolChoice : output.fields.toolChoice;
  const responseFormat = output?.fields.responseFormat ?? changes.responseFormat ?? settings.responseFormat;
  const request: ProviderRequest = {
    model,
    messages: output?.messages(messages) ?? messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && choice !== undefined ? { toolChoice: choice } : {}),
    ...(stream === undefined ? {} : { stream }),
    ...(options === undefined ? {} : { options }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(cache === undefined ? {} : { cache }),
    signal,
  };
  const isRestricted = changes.tools !== undefined;
  return { provider, request, isRestricted, ...(output && { outputMode: output.mode }) };
}

/** A forced choice applies to the first turn only. */
function choiceOf(choice: ToolChoice | undefined, turn: number): ToolChoice | undefined {
  return turn === 1 || choice === 'none' ? choice : undefined;
}

/** The names that `prepareTurn` chose, and the tool that takes the answer. */
function withAnswer({ output }: ModelResources, offered: readonly Tool[], names: readonly string[]): readonly string[] {
  if (output === undefined) return names;
  return [...names, ...offered.flatMap(({ name }) => (output.isAnswer(name) ? [name] : []))];
}
