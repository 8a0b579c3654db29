import type { CommandCall } from '../../command-call.ts';
import { loadConfig } from '../../config/load-config.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';

/** Checks the config in effect, or that of `--config`. Exits with 2 at the first mistake, which is named with its path; settings that are ignored are printed. */
export async function checkConfig(call: CommandCall): Promise<number> {
  const { flags, host, output } = call;
  const { file, warnings } = await loadConfig(flags, host, output, { isStrict: true });
  if (flags.json === true) output.writeJson({ file: file ?? null, warnings }, 2);
  else {
    for (const warning of warnings) output.write(`${oneLine(warning, 400)}\n`);
    const ignored = warnings.length === 0 ? 'no mistakes' : `no mistakes, ${warnings.length} settings are ignored`;
    output.write(
      `${file === undefined ? 'There is no config file' : oneLine(file, 400)}: ${file === undefined ? 'the defaults count' : ignored}\n`,
    );
  }
  return EXIT.answer;
}
