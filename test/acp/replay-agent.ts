/**
 * An agent that plays its side of a recorded session over its standard streams.
 *
 *     node test/acp/replay-agent.ts <recording>
 *
 * What it sends, and in which order, is what was recorded. A request of the client leads to the next place in the recording with that method, so that a client may leave
 * out what was asked then, and use ids of its own. Where the recorded client said yes and this one says no, the agent ends its turn, having changed nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable';
import {
  FOLDER,
  isMessage,
  type JsonRpcMessage,
  parseRecording,
  type RecordedEvent,
  type RecordedMessage,
} from './lib/recorded.ts';

const [file = ''] = process.argv.slice(2);
const { events } = parseRecording(readFileSync(file, 'utf8'));

/** What the client sent and was not looked at yet. */
const received: JsonRpcMessage[] = [];
let wake = (): void => {};
let hasEnded = false;
/** The folder that the session has here. */
let folder = '';
/** The ids of the client's requests, by those in the recording. */
const ids = new Map<unknown, JsonRpcMessage['id']>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    received.push(JSON.parse(line) as JsonRpcMessage);
    wake();
  })
  .on('close', () => {
    hasEnded = true;
    wake();
  });

let at = 0;
for (let event = events[at]; event !== undefined; event = events[at]) {
  if (!isMessage(event)) writeFileSync(here(event.wrote), event.text);
  else if (event.from === 'agent') send(event.message);
  else if (event.message.method === undefined) {
    if (!(await isAnsweredAlike(event.message))) {
      endTurn(event);
      continue;
    }
  } else if (!(await follow(event))) break;
  at += 1;
}
// Nothing more was recorded.
while (await refuseNext());

/** Waits for a request or a notification of the client and goes where the recording has it. Returns whether there was one. */
async function follow({ message }: RecordedMessage): Promise<boolean> {
  for (;;) {
    const next = await take(({ method }) => method !== undefined);
    if (next === undefined) return false;
    const place = events.findIndex((event, index) => index >= at && isSent(event, 'client', next.method));
    const found = events[place];
    if (found === undefined || !isMessage(found)) {
      refuse(next);
      continue;
    }
    // A notification that was recorded behind a request is early.
    if (next.id === undefined && next.method !== message.method) continue;
    if (next.method === 'session/new') folder = (next.params as { readonly cwd: string }).cwd;
    at = place;
    if (found.message.id !== undefined) ids.set(found.message.id, next.id);
    return true;
  }
}

/** Waits for the answer to a request of the agent. Returns whether it says yes or no as the recorded client did. */
async function isAnsweredAlike({ id, result }: JsonRpcMessage): Promise<boolean> {
  const answer = await take((each) => each.method === undefined && each.id === id);
  const asked = events.findLast(
    (event, index): event is RecordedMessage =>
      index < at && isSent(event, 'agent', 'session/request_permission') && isMessage(event) && event.message.id === id,
  );
  return asked === undefined || isYes(asked.message, answer?.result) === isYes(asked.message, result);
}

/** Whether a question was answered with one of its options that allow. */
function isYes({ params }: JsonRpcMessage, result: unknown): boolean {
  const { options } = params as RequestPermissionRequest;
  const { outcome } = (result ?? {}) as Partial<RequestPermissionResponse>;
  const chosen = outcome?.outcome === 'selected' ? outcome.optionId : undefined;
  return options.some(({ optionId, kind }) => optionId === chosen && kind.startsWith('allow'));
}

/** Answers the open prompt, and goes on with what the client asks next. */
function endTurn(from: RecordedEvent): void {
  const start = events.indexOf(from);
  const prompt = events.findLast(
    (event, index): event is RecordedMessage => index < start && isSent(event, 'client', 'session/prompt'),
  );
  send({ jsonrpc: '2.0', id: prompt?.message.id ?? null, result: { stopReason: 'end_turn' } });
  const next = events.findIndex(
    (event, index) =>
      index > start && isMessage(event) && event.from === 'client' && event.message.method !== undefined,
  );
  at = next === -1 ? events.length : next;
}

function isSent(event: RecordedEvent, from: 'agent' | 'client', method: string | undefined): boolean {
  return isMessage(event) && event.from === from && event.message.method === method;
}

/** Takes the first message that fits, once there is one; `undefined` if the client has gone. */
async function take(fits: (message: JsonRpcMessage) => boolean): Promise<JsonRpcMessage | undefined> {
  for (;;) {
    const index = received.findIndex((message) => fits(message));
    if (index !== -1) return received.splice(index, 1)[0];
    if (hasEnded) return undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** Refuses the next request. Returns whether there may be another. */
async function refuseNext(): Promise<boolean> {
  const next = await take(({ method }) => method !== undefined);
  if (next !== undefined) refuse(next);
  return next !== undefined;
}

function refuse({ id, method }: JsonRpcMessage): void {
  if (id !== undefined)
    send({ jsonrpc: '2.0', id, error: { code: -32_601, message: `"${method}" was not recorded.` } }, id);
}

/** Sends a message as it was recorded, with the folder and the ids of this session. */
function send(message: JsonRpcMessage, id = message.method === undefined ? ids.get(message.id) : message.id): void {
  process.stdout.write(`${here(JSON.stringify(id === undefined ? message : { ...message, id }))}\n`);
}

function here(text: string): string {
  return text.replaceAll(FOLDER, folder);
}
