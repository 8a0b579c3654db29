import type { CommandCall } from '../../command-call.ts';
import { settingsInEffect } from '../../config/settings-in-effect.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { tableOf } from '../../output/terminal/table.ts';

/** Prints each setting in effect, its value and where that is from: a flag, a file, the environment or the default. Keys are not printed. */
export async function showConfig(call: CommandCall): Promise<number> {
  const settings = await settingsInEffect(call);
  if (call.flags.json === true) call.output.writeJson(settings, 2);
  else
    for (const line of tableOf(
      settings.map(({ name, value, from }) => [name, oneLine(value, 120), oneLine(from, 200)]),
    ))
      call.output.write(`${line}\n`);
  return EXIT.answer;
}
