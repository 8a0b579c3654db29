import { compileSchema, type Validator } from '@kernel/schema';
import { type ProtocolSchema, readProtocolSchema } from './protocol-schema.ts';
import type { RecordedMessage, Side } from './recorded.ts';

/** Checks the messages of one connection, in order. Returns what is wrong with each. */
export type MessageCheck = (message: RecordedMessage) => readonly string[];

let schema: ProtocolSchema | undefined;
const validators = new Map<string, Validator>();

/**
 * Creates a check of both sides against the schema of the SDK: the parameters of requests and notifications, results by the requests that they answer, and that each
 * request is answered once.
 */
export function createMessageCheck(): MessageCheck {
  const current = (schema ??= readProtocolSchema());
  const open: Record<Side, Map<unknown, string>> = { agent: new Map(), client: new Map() };

  function definitionOf(method: string, receiver: Side, isNotification: boolean) {
    return current.methods.find(
      (each) =>
        each.method === method &&
        (each.side === receiver || each.side === 'protocol') &&
        each.isNotification === isNotification,
    );
  }

  return ({ from, message }) => {
    const receiver: Side = from === 'agent' ? 'client' : 'agent';
    const { id, method } = message;
    if (message.jsonrpc !== '2.0') return [`jsonrpc is ${JSON.stringify(message.jsonrpc)}`];
    if (method === undefined) {
      const asked = open[receiver].get(id);
      if (asked === undefined) return [`answers the request ${JSON.stringify(id)}, which is not open`];
      open[receiver].delete(id);
      if (message.error !== undefined) return checkError(message.error);
      const result = definitionOf(asked, from, false)?.result;
      return result === undefined ? [] : check(current, result, message.result, `the result of ${asked}`);
    }
    const isNotification = id === undefined;
    if (!isNotification) {
      if (open[from].has(id)) return [`${method} has the id ${JSON.stringify(id)} of an open request`];
      open[from].set(id, method);
    }
    // Extensions are agreed on by both sides.
    if (method.startsWith('_')) return [];
    const definition = definitionOf(method, receiver, isNotification);
    if (definition === undefined) return [`${method} is not a method of the ${receiver}`];
    return check(current, definition.params, message.params, method);
  };
}

function checkError({ code, message }: { code: unknown; message: unknown }): readonly string[] {
  return Number.isInteger(code) && typeof message === 'string' ? [] : ['an error without code or message'];
}

function check({ definitions }: ProtocolSchema, name: string, value: unknown, what: string): readonly string[] {
  const validator = validators.get(name) ?? compileSchema({ $ref: `#/$defs/${name}`, $defs: definitions });
  validators.set(name, validator);
  return validator
    .issues(value)
    .map(
      ({ path, expected, received }) =>
        `${what}${path}: expected ${expected}, received ${(JSON.stringify(received) ?? 'nothing').slice(0, 80)}`,
    );
}
