import { errorMessage, isObject, parseJson, wellFormed } from '@kernel/internal';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { withoutNull, withReadableParts } from '../calls/readable-result.ts';
import { liftTask } from '../calls/remote-task.ts';
import { type ClientSdk, MAX_MESSAGE_BYTES, type ServerLink } from './server-link.ts';
import { type ServerProcess, startServerProcess, type StdioServer } from './server-process.ts';
import { splitLines } from '../../split-lines.ts';

/** How long to wait for what is still in the pipes of a program that has ended: a grandchild may hold them open. */
const DRAIN_MS = 100;

/** JSON-RPC's code for a message of the wrong shape; stands for a response that is not valid. */
const INVALID_MESSAGE = -32_600;

/**
 * Creates the link to a program. The program runs in a process group of its own and is ended with the group; its stderr is kept, never printed.
 * What is not a JSON-RPC message on stdout is ignored, but a request whose id it carries fails at once.
 */
export function createStdioLink(sdk: ClientSdk, server: StdioServer, graceMs: number): ServerLink {
  let started: ServerProcess | undefined;
  let failure: string | undefined;
  let closing: Promise<void> | undefined;

  const close = (): Promise<void> => {
    if (closing !== undefined) return closing;
    closing = started === undefined ? Promise.resolve() : started.end(graceMs);
    transport.onclose?.();
    return closing;
  };
  const fail = (reason: string): void => {
    if (closing !== undefined) return;
    failure = reason;
    void close();
  };
  const deliver = orderedDelivery((message) => transport.onmessage?.(message));
  const receive = (line: string): void => {
    try {
      deliver(withReadableParts(sdk, liftTask(readMessage(sdk, line))));
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      const id = responseId(line);
      if (id !== undefined)
        deliver({
          jsonrpc: '2.0',
          id,
          error: { code: INVALID_MESSAGE, message: 'the response is not valid JSON-RPC' },
        });
    }
  };
  const read = splitLines(
    MAX_MESSAGE_BYTES,
    (line) => {
      if (failure === undefined) receive(line);
    },
    () => fail(`sent a line of more than ${MAX_MESSAGE_BYTES} bytes`),
  );

  // With both members the SDK takes it for a program, whose silence or end at the first question means an old server.
  const transport: Transport & { readonly pid: undefined; readonly stderr: undefined } = {
    pid: undefined,
    stderr: undefined,
    async start() {
      try {
        started = await startServerProcess(server);
      } catch (error) {
        failure = `could not be started: ${errorMessage(error)}`;
        throw error;
      }
      const { child, stdin, stdout } = started;
      stdout.on('data', read);
      // A program that closes one of its streams cannot go on; if it exits as well, its exit code says more.
      stdin.on('error', () => setTimeout(fail, DRAIN_MS, 'closed its standard input'));
      stdout.on('end', () => setTimeout(fail, DRAIN_MS, 'closed its standard output'));
      child.once('exit', (code, signal) => {
        const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
        const timer = setTimeout(fail, DRAIN_MS, how);
        child.once('close', () => {
          clearTimeout(timer);
          fail(how);
        });
      });
    },
    send(message: JSONRPCMessage) {
      return new Promise((resolve) => {
        // A failed write breaks the connection, which settles all requests.
        if (started?.stdin.writable === true)
          started.stdin.write(sdk.serializeMessage(wellFormed(message)), () => resolve());
        else resolve();
      });
    },
    close,
  };
  return {
    transport,
    failure: () => failure,
    hasEnded: () => started !== undefined && failure !== undefined,
    stderrTail: () => started?.stderr.text() ?? '',
    close,
  };
}

/** The id of the request that an invalid line is meant to answer. Ids of this client are numbers. */
function responseId(line: string): number | undefined {
  const value = parseJson(line);
  return isObject(value) && !('method' in value) && typeof value['id'] === 'number' ? value['id'] : undefined;
}

/**
 * Wraps a receiver of messages so that what follows a notification waits for its handler, which the SDK runs a
 * microtask later. Otherwise the last progress of a call is lost when it arrives in one packet with the response.
 */
export function orderedDelivery(deliver: (message: JSONRPCMessage) => void): (message: JSONRPCMessage) => void {
  let waiting: JSONRPCMessage[] = [];
  let head = 0;
  let isPaused = false;
  /** Returns whether the next message must wait. */
  const deliverNow = (message: JSONRPCMessage): boolean => {
    deliver(message);
    if ('id' in message) return false;
    isPaused = true;
    queueMicrotask(resume);
    return true;
  };
  const resume = (): void => {
    isPaused = false;
    // An index instead of `shift()`, which moves everything that waits.
    for (let next = waiting[head]; next !== undefined; next = waiting[head]) {
      head += 1;
      if (deliverNow(next)) break;
    }
    if (head < waiting.length) return;
    waiting = [];
    head = 0;
  };
  return (message) => {
    if (isPaused || waiting.length > 0) waiting.push(message);
    else deliverNow(message);
  };
}

/** Reads a message; one that JSON-RPC does not take is tried again without the members that are null. */
function readMessage(sdk: ClientSdk, line: string): JSONRPCMessage {
  try {
    return sdk.deserializeMessage(line);
  } catch (error) {
    const message = parseJson(line);
    if (!isObject(message) || !isObject(message['result'])) throw error;
    return sdk.deserializeMessage(JSON.stringify({ ...withoutNull(message), result: withoutNull(message['result']) }));
  }
}
