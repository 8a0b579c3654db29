import type { Approve } from '@kernel/agent';
import type { Output } from './render/output.ts';
import { hasTerminal, type Terminal } from './terminal/ask.ts';
import { confirm } from './terminal/confirm.ts';
import { showCall } from './terminal/show-call.ts';

/**
 * Creates the approval of calls that may change something: it asks on stderr, one call after another, if a person sits at a terminal, and denies
 * otherwise. All arguments are shown. Only `y` and `yes` allow a call; what was typed before the question is no answer.
 */
export function createApprove(terminal: Terminal, output: Output): Approve {
  let turn: Promise<unknown> = Promise.resolve();
  return ({ call, tool, signal }) => {
    if (!hasTerminal(terminal)) {
      return {
        decision: 'deny',
        reason: `"${tool.name}" may change something, and there is no terminal to ask for approval.`,
      };
    }
    const [first = '', ...rest] = showCall(call.name, call.arguments);
    const lines = rest.length === 0 ? [] : [first, ...rest];
    const question =
      rest.length === 0 ? `run ${first}? It may change something.` : 'Run this? It may change something.';
    const answer = turn.then(() => confirm(terminal, output, lines, question, signal));
    turn = answer.catch(() => undefined);
    return answer.then((isAllowed) =>
      isAllowed ? { decision: 'allow' as const } : { decision: 'deny' as const, reason: 'The user said no.' },
    );
  };
}
