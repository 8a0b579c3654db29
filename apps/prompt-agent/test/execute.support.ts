import { PassThrough } from 'node:stream';
import type { PermissionAnswer, PermissionRequest, PermissionRule } from '@kernel/toolbox/permissions';
import { createAskUser } from '../src/approval/ask-user.ts';
import { createOutput } from '../src/output/output.ts';

/** Questions about calls, and who answers them. */
export interface Asking {
  readonly approve: (request: PermissionRequest) => PermissionAnswer | Promise<PermissionAnswer>;
  readonly stdin: PassThrough;
  readonly shown: () => string;
  readonly remembered: PermissionRule[];
  readonly kept: PermissionRule[];
}

/** Asks on a terminal that is not there. `check` may refuse a rule. */
export function terminal(check: (rule: PermissionRule) => void = () => undefined): Asking {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const output = createOutput({ stdout: new PassThrough(), stderr });
  let text = '';
  stderr.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const remembered: PermissionRule[] = [];
  const kept: PermissionRule[] = [];
  const userRules = { path: '/rules.json', add: async (rule: PermissionRule) => void kept.push(rule) };
  const askUser = createAskUser({ stdin, stderr }, output, {
    remember: (rule) => {
      check(rule);
      remembered.push(rule);
    },
    userRules,
  });
  const decision = { verdict: 'ask', reason: '', suggestion: { allow: 'promote(x)' } } as const;
  return { approve: (request) => askUser(request, decision), stdin, shown: () => text, remembered, kept };
}

/** A tool and a call of it. */
export const tool = { name: 'promote', description: '', parameters: { type: 'object' } } as const;
export const call = { type: 'tool-call', id: '1', name: 'promote', arguments: '{"name":"\u001b[2J"}' } as const;
