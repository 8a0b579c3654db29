import { LOAD_COMMAND } from './commands/load-command.ts';
import { errorNote, errorObject, EXIT, exitCodeOf, usageError } from './exit-code.ts';
import type { Host } from './host.ts';
import { commandHelp, groupHelp, helpText, version } from './options/help.ts';
import { parseCommandLine } from './options/parse-command-line.ts';
import { createOutput, type Output } from './output/output.ts';

/** Runs the program and returns its exit code. Never throws. */
export async function main(host: Host): Promise<number> {
  const output = createOutput(host);
  const code = await start(host, output).catch((error: unknown) => {
    if (output.closed.aborted) return EXIT.answer;
    output.finish();
    const exitCode = exitCodeOf(error, host.signal);
    output.hold();
    output.alert(host.signal.aborted ? 'prompt-agent: interrupted' : errorNote(error));
    const object = errorObject(host.argv, error, exitCode);
    if (object !== undefined) output.writeJson(object);
    output.finish();
    return exitCode;
  });
  await output.settle();
  const failure = output.failure();
  if (failure === undefined) return output.closed.aborted ? EXIT.answer : code;
  output.alert(`prompt-agent: ${failure}`);
  return EXIT.failed;
}

async function start(host: Host, output: Output): Promise<number> {
  const { command, group, flags, words } = parseCommandLine(host.argv);
  output.hide(flags.token);
  if (flags.help === true) {
    const isWhole = words.length === 0 && host.argv.length === 1;
    output.write(group === undefined ? (isWhole ? helpText() : commandHelp(command)) : groupHelp(group));
    return EXIT.answer;
  }
  if (flags.version === true) {
    output.write(`${version()}\n`);
    return EXIT.answer;
  }
  if (host.cwd === '')
    throw usageError('The current folder no longer exists. Change to another one, such as with: cd ~');
  if (flags.quiet === true) output.quiet();
  const runCommand = await LOAD_COMMAND[command]();
  const code = await runCommand({ flags, words, host, output, signal: AbortSignal.any([host.signal, output.closed]) });
  output.finish();
  return code;
}
