import { type Dialect, lintTools } from '@kernel/providers';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { withTools } from './with-tools.ts';

const DIALECTS: readonly Dialect[] = ['openai', 'openai-strict', 'anthropic', 'gemini', 'mistral', 'ollama'];

/** Prints what each wire loses of the tools' schemas: keywords that a vendor does not take. Exits with 1 if there is any. */
export async function lintToolsCommand(call: CommandCall): Promise<number> {
  return withTools(call, (tools) => {
    const found = DIALECTS.flatMap((dialect) =>
      tools.flatMap((tool) => lintTools([tool], dialect).map(({ message }) => ({ dialect, tool: tool.name, message }))),
    );
    if (call.flags.json === true) call.output.writeJson(found, 2);
    else {
      for (const { dialect, tool, message } of found)
        call.output.write(`${dialect}: ${oneLine(tool, 64)}: ${oneLine(message, 400)}\n`);
      if (found.length === 0) call.output.write(`${tools.length} tools, nothing to say\n`);
    }
    return found.length === 0 ? EXIT.answer : EXIT.failed;
  });
}
