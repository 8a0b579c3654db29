import { toGbnf } from '@kernel/tools/grammar';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { withTools } from './with-tools.ts';

/** Prints a grammar for llama.cpp that allows calls of these tools alone; what it cannot say is a note on stderr. */
export async function toolGrammar(call: CommandCall): Promise<number> {
  await withTools(call, (tools) => {
    const { grammar, warnings } = toGbnf(tools);
    for (const { tool = '', path, keyword, effect } of warnings)
      call.output.note(
        `warning: ${oneLine(tool, 64)}: "${oneLine(keyword, 64)}" at ${oneLine(path, 100)} is ${effect} in the grammar`,
      );
    call.output.write(grammar.endsWith('\n') ? grammar : `${grammar}\n`);
  });
  return EXIT.answer;
}
