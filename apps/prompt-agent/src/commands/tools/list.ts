import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { tableOf } from '../../output/terminal/table.ts';
import { withTools } from './with-tools.ts';

/** Prints the tools on offer with their effects, a line each; with `--json` the tools themselves. */
export async function listTools(call: CommandCall): Promise<number> {
  await withTools(call, (tools) => {
    if (call.flags.json === true) call.output.writeJson(tools, 2);
    else
      for (const line of tableOf(
        tools.map(({ name, effect = 'external', description }) => [name, effect, oneLine(description, 100)]),
      ))
        call.output.write(`${line}\n`);
  });
  return EXIT.answer;
}
