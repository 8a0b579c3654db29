import type { RunEnd } from '@kernel/protocol';
import type { Invocation } from '../invocation.ts';
import { firstCodeBlock } from './first-code-block.ts';
import type { View } from './view.ts';

/** Creates the view of `--schema` and `--extract`: a part of the answer on stdout once it is whole, and the notes of `notes` on stderr. */
export function answerView({ flags, output }: Pick<Invocation, 'flags' | 'output'>, notes: View): View {
  return {
    event: (event) => notes.event(event),
    end(end, calls) {
      const answer = 'answer' in end ? (end.answer ?? '') : '';
      if (flags.schema !== undefined && 'output' in end) output.writeJson(outputOf(end), 2);
      else if (flags.extract === true && answer !== '') {
        const code = firstCodeBlock(answer);
        if (code === undefined) output.note('note: the answer has no code block, so all of it is printed');
        output.write(code ?? answer);
      }
      notes.end(end, calls);
    },
  };
}

function outputOf(end: RunEnd): unknown {
  return 'output' in end ? end.output : undefined;
}
