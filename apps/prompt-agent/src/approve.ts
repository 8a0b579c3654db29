import type { Approve } from '@kernel/agent';
import { oneLine } from './render/escape.ts';
import { ask, hasTerminal, type Terminal } from './terminal/ask.ts';
import type { Output } from './render/output.ts';

/**
 * Creates the approval of calls that may change something: it asks on stderr, one call after another, if a person sits at a terminal,
 * and denies otherwise. What was typed before the question is no answer. Only `y` and `yes` allow a call.
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
    const question = `run ${oneLine(call.name, 64)} ${oneLine(call.arguments, 2000)}? It may change something. [y/N]`;
    const answer = turn.then(() => ask(terminal, () => output.note(question), signal));
    turn = answer.catch(() => undefined);
    return answer.then((line) =>
      /^y(?:es)?$/i.test(line.trim())
        ? { decision: 'allow' as const }
        : { decision: 'deny' as const, reason: 'The user said no.' },
    );
  };
}
