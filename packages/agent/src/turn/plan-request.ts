import type { Message, Provider, ProviderRequest, Tool, ToolChoice } from '@kernel/protocol';
import type { OutputMode } from '../output/typed-output.ts';
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

/** Makes the request of a turn. Asynchronous only where `prepareTurn` is asked, which costs nothing where it is not. */
export function planRequest(
  resources: ModelResources,
  turn: ModelTurn,
  offered: readonly Tool[],
  messages: readonly Message[],
  signal: AbortSignal,
): PlannedRequest | Promise<PlannedRequest> {
  if (resources.prepareTurn === undefined) return createRequest(resources, turn, offered, messages, {}, signal);
  const { context } = resources.caller;
  const state = { turn: turn.number, messages, usage: turn.usage, tools: offered, context, signal };
  return prepareTurn(resources.prepareTurn, state).then((changes) =>
    createRequest(resources, turn, offered, changes.messages ?? messages, changes, signal),
  );
}

function createRequest(
  resources: ModelResources,
  turn: ModelTurn,
  offered: readonly Tool[],
  messages: readonly Message[],
  changes: TurnChanges,
  signal: AbortSignal,
): PlannedRequest {
  const { settings, selectTools } = resources;
  const { provider = resources.provider, model = settings.model } = changes;
  const { options = settings.options, responseFormat = settings.responseFormat, cache = settings.cache } = changes;
  const isRestricted = changes.tools !== undefined && turn.offersTools;
  const available = isRestricted ? selectTools(offered, withAnswer(resources, offered, changes.tools)) : offered;
  const toolChoice = changes.toolChoice ?? choiceOf(settings.toolChoice, turn.number);
  const output = resources.output?.request(provider, model, available, toolChoice);
  const tools = output?.tools ?? available;
  const fields = output?.fields ?? { toolChoice };
  const request: ProviderRequest = {
    model,
    messages: output?.messages(messages) ?? messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && fields.toolChoice !== undefined ? { toolChoice: fields.toolChoice } : {}),
    ...(settings.stream === undefined ? {} : { stream: settings.stream }),
    ...(options === undefined ? {} : { options }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(output?.fields.responseFormat && { responseFormat: output.fields.responseFormat }),
    ...(cache === undefined ? {} : { cache }),
    signal,
  };
  return { provider, request, isRestricted, ...(output && { outputMode: output.mode }) };
}

/** What forces a call holds for the first turn: a model that is forced in each never answers. */
function choiceOf(choice: ToolChoice | undefined, turn: number): ToolChoice | undefined {
  return turn === 1 || choice === 'none' ? choice : undefined;
}

/** The names that `prepareTurn` chose, and the tool that takes the answer. */
function withAnswer({ output }: ModelResources, offered: readonly Tool[], names: readonly string[]): readonly string[] {
  if (output === undefined) return names;
  return [...names, ...offered.flatMap(({ name }) => (output.isAnswer(name) ? [name] : []))];
}
