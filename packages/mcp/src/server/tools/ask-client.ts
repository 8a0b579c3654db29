import { isObject, jsonDigest } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { compileSchema } from '@kernel/schema';
import type {
  CallToolRequestParams,
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  ListRootsResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { INVALID_PARAMS, rpcError } from '../../json-rpc.ts';

/**
 * Asks the client, under names that you choose: its user (`elicitation/create`, by a form or a URL), its model (`sampling/createMessage`) or for its folders
 * (`roots/list`). Resolves to the answers, by the same names; a user may also have declined.
 *
 * A client of 2026-07-28 gets the questions as the result of the call, and calls again with the answers: the promise rejects, whatever the handler returns then
 * is dropped, and the handler runs again from its beginning, so that nothing is kept between the two calls. Ask before you change anything.
 */
export type AskClient = <Requests extends InputRequests>(
  requests: Requests,
) => Promise<{ readonly [Name in keyof Requests]: AnswerTo<Requests[Name]> }>;

/** What a client answers to a request. */
export type AnswerTo<Request extends InputRequest> = Request extends { readonly method: 'elicitation/create' }
  ? ElicitResult
  : Request extends { readonly method: 'roots/list' }
    ? ListRootsResult
    : CreateMessageResult;

/** The questions of one call, and what they came to. */
export interface ClientQuestions {
  readonly ask: AskClient;
  /** What the client has answered so far, checked or not. */
  answers(): { readonly [name: string]: unknown };
  /** The result that asks the client; undefined if every question was answered. */
  result(): Promise<InputRequiredResult | undefined>;
}

/** The key by which a server knows its own state again. At least 32 bytes. */
export type StateKey = string | Uint8Array;

/** How long a client may take to call again with its answers. */
const STATE_SECONDS = 3600;
/** How long a client of an older version may take to answer one question. */
const ANSWER_MS = 600_000;
/** How much the answers of all rounds may be, in bytes of JSON: they travel with each call. */
const MAX_STATE_BYTES = 1024 * 1024;

/**
 * Reads the answers that a call of `tools/call` brings. The state is signed and bound to caller, tool and arguments. Rejects with a
 * JSON-RPC error for a state that is not ours, is too old or belongs to another call.
 */
export function questionsOf(
  params: CallToolRequestParams,
  mcp: ServerContext,
  key: StateKey,
): ClientQuestions | Promise<ClientQuestions> {
  if (mcp.mcpReq.envelope === undefined)
    return { ask: askWith((requests) => send(requests, mcp)), answers: () => ({}), result: async () => undefined };
  const state = mcp.mcpReq.requestState<string>();
  const create = (answers: object): ClientQuestions => createQuestions(answers, params, mcp, key);
  return state === undefined ? create({}) : readState(state, params, mcp, key).then(create);
}

function createQuestions(
  earlier: object,
  params: CallToolRequestParams,
  mcp: ServerContext,
  key: StateKey,
): ClientQuestions {
  const answers = new Map<string, unknown>(Object.entries(earlier));
  const received = mcp.mcpReq.inputResponses ?? {};
  let open: InputRequests | undefined;
  return {
    ask: askWith(async (requests) => {
      const missing = Object.entries(requests).filter(([name, request]) => {
        if (answers.has(name)) return false;
        const answer = Object.hasOwn(received, name) ? received[name] : undefined;
        if (!isAnswer(request, answer)) return true;
        answers.set(name, answer);
        return false;
      });
      if (missing.length === 0)
        return Object.fromEntries(Object.keys(requests).map((name) => [name, answers.get(name)]));
      open = { ...open, ...Object.fromEntries(missing) };
      throw new KernelError('TOOL_CANCELLED', 'The client is asked first; the call comes again with its answers.');
    }),
    answers: () => ({ ...received, ...Object.fromEntries(answers) }),
    async result() {
      if (open === undefined) return undefined;
      const codec = await codecFor(params, mcp, key);
      const requestState = await codec.mint(Object.fromEntries(answers), mcp);
      if (requestState.length > MAX_STATE_BYTES)
        throw rpcError(INVALID_PARAMS, `The answers have more than ${MAX_STATE_BYTES} bytes`);
      return { resultType: 'input_required', inputRequests: open, requestState };
    },
  };
}

/** Each answer is checked against its request, which the types of a record can't say. */
export function askWith(ask: (requests: InputRequests) => Promise<object>): AskClient {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return ask as AskClient;
}

async function readState(
  state: string,
  params: CallToolRequestParams,
  mcp: ServerContext,
  key: StateKey,
): Promise<object> {
  try {
    const payload = await (await codecFor(params, mcp, key)).verify(state, mcp);
    if (isObject(payload)) return payload;
  } catch {
    // What exactly is wrong would help to forge one.
  }
  throw rpcError(INVALID_PARAMS, 'Invalid or expired requestState');
}

async function codecFor(
  { name, arguments: input = {} }: CallToolRequestParams,
  { http, sessionId }: ServerContext,
  key: StateKey,
) {
  const sdk = await import('@modelcontextprotocol/server');
  const caller = [http?.authInfo?.clientId, http?.req?.headers.get('authorization'), sessionId];
  const call = [name, jsonDigest(input)];
  return sdk.createRequestStateCodec({ key, ttlSeconds: STATE_SECONDS, bind: () => JSON.stringify([caller, call]) });
}

/** Whether a client has sent an answer of the kind that was asked for; a form that the user accepted has to match its schema. */
export function isAnswer({ method, params }: InputRequest, answer: unknown): answer is InputResponse {
  if (!isObject(answer)) return false;
  switch (method) {
    case 'elicitation/create': {
      const { action, content } = answer;
      if (action !== 'accept') return action === 'decline' || action === 'cancel';
      return params.mode === 'url' || compileSchema({ ...params.requestedSchema }).test(content);
    }
    case 'sampling/createMessage':
      return typeof answer['model'] === 'string' && answer['role'] === 'assistant' && 'content' in answer;
    case 'roots/list':
      return (
        Array.isArray(answer['roots']) &&
        answer['roots'].every((root) => isObject(root) && typeof root['uri'] === 'string')
      );
    default:
      return false;
  }
}

/** Asks a client of an older version, which is sent the questions while the call waits: one after the other, as a person answers. */
async function send(requests: InputRequests, { mcpReq }: ServerContext): Promise<object> {
  const options = { signal: mcpReq.signal, timeout: ANSWER_MS, resetTimeoutOnProgress: true };
  const answers: Record<string, InputResponse> = {};
  for (const [name, request] of Object.entries(requests)) {
    // oxlint-disable-next-line no-await-in-loop
    answers[name] = await sendOne(request, mcpReq, options);
  }
  return answers;
}

function sendOne(
  request: InputRequest,
  mcpReq: ServerContext['mcpReq'],
  options: Parameters<ServerContext['mcpReq']['elicitInput']>[1],
): Promise<InputResponse> {
  switch (request.method) {
    case 'elicitation/create':
      return mcpReq.elicitInput(request.params, options);
    case 'sampling/createMessage':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the SDK differ in what tools may add
      return mcpReq.requestSampling(request.params, options) as Promise<InputResponse>;
    case 'roots/list':
      return mcpReq.send({ method: 'roots/list' }, options);
    default:
      return request satisfies never;
  }
}
