import { existsSync } from 'node:fs';
import type { CommandCall } from '../../command-call.ts';
import { configPaths } from '../../config/config-paths.ts';
import { EXIT } from '../../exit-code.ts';
import { oneLine } from '../../output/escape.ts';
import { tableOf } from '../../output/terminal/table.ts';

/** Prints where the program looks for its settings and keeps what it remembers, and what is there. */
export function configPath({ flags, host, output }: CommandCall): Promise<number> {
  const paths = configPaths(host).map((entry) => ({ ...entry, exists: existsSync(entry.path) }));
  if (flags.json === true) output.writeJson(paths, 2);
  else
    for (const line of tableOf(
      paths.map(({ what, path, exists }) => [what, exists ? 'there' : 'absent', oneLine(path, 400)]),
    ))
      output.write(`${line}\n`);
  return Promise.resolve(EXIT.answer);
}
