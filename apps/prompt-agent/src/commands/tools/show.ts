import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { safeJson } from '../../output/escape.ts';
import { toolNamed, withTools } from './with-tools.ts';

/** Prints a tool whole: description, effect, schema of the arguments. */
export async function showTool(call: CommandCall): Promise<number> {
  await withTools(call, (tools) => {
    const tool = toolNamed(call.words[0] ?? '', tools);
    if (call.flags.json === true) call.output.writeJson(tool, 2);
    else {
      const { name, description, effect = 'external', parameters } = tool;
      call.output.write(`${name} (${effect})\n${description}\n\nArguments:\n${safeJson(parameters, 2)}\n`);
    }
  });
  return EXIT.answer;
}
