import { isObject } from '@kernel/internal';
import type { InputRequest, InputRequests } from '@modelcontextprotocol/server';
import { capabilitiesOf, missingCapability } from './task-requests.ts';

/** Throws the JSON-RPC error for a question that the client of this request has not declared to be able to answer. */
export function checkAbleToAnswer(requests: InputRequests, envelope: unknown): void {
  const declared = capabilitiesOf(envelope) ?? {};
  for (const [name, request] of Object.entries(requests)) {
    const [capability, mode] = capabilityFor(request);
    const has = declared[capability];
    // A client that names no mode has forms.
    const isAble = isObject(has) && (mode === undefined || mode in has || (mode === 'form' && !('url' in has)));
    if (isAble) continue;
    const required = { [capability]: mode === undefined ? {} : { [mode]: {} } };
    throw missingCapability(required, `the question "${name}" is ${request.method}`);
  }
}

function capabilityFor({ method, params }: InputRequest): readonly [name: string, mode?: string] {
  switch (method) {
    case 'elicitation/create':
      return ['elicitation', params.mode ?? 'form'];
    case 'sampling/createMessage':
      return ['sampling'];
    case 'roots/list':
      return ['roots'];
    default:
      return [method];
  }
}
