import { resolve } from 'node:path';
import { findOnPath, visible } from '@kernel/internal';
import type { CommandCall } from '../../command-call.ts';
import { EXIT, usageError } from '../../exit-code.ts';
import { addEntry } from './add-entry.ts';
import { type EditorName, NAME, SETUPS, type StartCommand } from './editor-entries.ts';

/**
 * Prints what an editor needs in its settings to start this program, with the flags of this call; with `-o FILE` adds it to a JSON file of settings, whose other entries
 * stay. Rejects with a usage error for a file that is not plain JSON, which is left as it is.
 */
export async function setup({ flags, host, output }: CommandCall, editor: EditorName): Promise<number> {
  if (flags.token !== undefined)
    throw usageError(
      'acp --setup writes its flags into the settings of the editor, where a key does not belong. Keep the key with prompt-agent keys set PROVIDER.',
    );
  const { where, text, json } = SETUPS[editor](startCommand(host.env, argumentsFrom(host.argv)));
  if (flags.output === undefined) {
    output.note(where);
    output.write(`${text}\n`);
    return EXIT.answer;
  }
  if (json === undefined)
    throw usageError(
      `--output: the settings of ${editor} are not JSON. Run it without --output, and paste what is printed.`,
    );
  const path = resolve(host.cwd, flags.output);
  await addEntry(path, json);
  output.note(`added to ${visible(path)}`);
  return EXIT.answer;
}

/** How to start this program from anywhere: where it is on the PATH, else by npx. */
function startCommand(env: CommandCall['host']['env'], flags: readonly string[]): StartCommand {
  const found = findOnPath(NAME, { path: env['PATH'] });
  const args = ['acp', ...flags];
  return found === undefined
    ? { command: 'npx', args: ['-y', '@kernel/prompt-agent', ...args] }
    : { command: found, args };
}

/** The flags of this call that are for the program as the editor starts it. */
function argumentsFrom(argv: readonly string[]): readonly string[] {
  const own = /^(?:--?setup|--?output|-o)(=|$)/;
  return argv.flatMap((word, index) => {
    const before = own.exec(argv[index - 1] ?? '');
    if ((before !== null && before[1] === '') || own.test(word)) return [];
    return index === argv.indexOf('acp') ? [] : [word];
  });
}
