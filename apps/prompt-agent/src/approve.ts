import { createInterface } from 'node:readline';
import type { Approve } from '@kernel/agent';
import type { Host } from './host.ts';
import { oneLine } from './render/escape.ts';
import type { Output } from './render/output.ts';

/**
 * Creates the approval of calls that may change something: it asks on stderr, one call after another, if a person sits at a terminal,
 * and denies otherwise. Only `y` and `yes` allow a call.
 */
export function createApprove({ stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>, output: Output): Approve {
  let turn: Promise<unknown> = Promise.resolve();
  return ({ call, tool, signal }) => {
    if (stdin.isTTY !== true || stderr.isTTY !== true) {
      return {
        decision: 'deny',
        reason: `"${tool.name}" may change something, and there is no terminal to ask for approval.`,
      };
    }
    const answer = turn.then(() => {
      signal.throwIfAborted();
      output.note(`run ${oneLine(call.name, 64)} ${oneLine(call.arguments, 2000)}? It may change something. [y/N]`);
      return readLine(stdin, signal);
    });
    turn = answer.catch(() => undefined);
    return answer.then((line) =>
      /^y(?:es)?$/i.test(line.trim())
        ? { decision: 'allow' as const }
        : { decision: 'deny' as const, reason: 'The user said no.' },
    );
  };
}

/** Reads one line; empty if the input ends first. Throws the reason of an abort. */
function readLine(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const lines = createInterface({ input, terminal: false });
    const stop = () => lines.close();
    signal.addEventListener('abort', stop, { once: true });
    lines.once('line', (text) => {
      line = text;
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error('interrupted'));
      else resolve(line);
    });
  });
}
