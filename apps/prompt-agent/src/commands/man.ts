import type { CommandCall } from '../command-call.ts';
import { EXIT, EXIT_CODES } from '../exit-code.ts';
import { COMMAND_NAMES, commandSpec } from '../options/commands.ts';
import { FLAGS, type FlagSpec } from '../options/flags.ts';

/** Prints the manual page, in the format of `man`: `prompt-agent man | man -l -`. Made from the tables of commands, flags and exit codes. */
export function man({ output }: CommandCall): Promise<number> {
  const commands = COMMAND_NAMES.flatMap((name) => {
    const { usage, summary, examples } = commandSpec(name);
    return [
      '.TP',
      `.B ${escape(`prompt-agent ${name === 'ask' ? '' : `${name} `}${usage}`.trimEnd())}`,
      escape(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
      ...examples.flatMap((example) => [
        '.br',
        `Example: ${escape(`prompt-agent ${name === 'ask' ? '' : `${name} `}${example}`)}`,
      ]),
    ];
  });
  const flags = Object.entries(FLAGS).flatMap(([name, { short, value = '', help }]: readonly [string, FlagSpec]) => [
    '.TP',
    `.B ${escape(`${short === undefined ? '' : `-${short}, `}--${name} ${value}`.trimEnd())}`,
    escape(`${help.charAt(0).toUpperCase()}${help.slice(1)}.`),
  ]);
  const exits = EXIT_CODES.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, escape(`${meaning}.`)]);
  output.write(
    [
      '.TH PROMPT-AGENT 1',
      '.SH NAME',
      'prompt-agent \\- give a prompt to a language model with tools',
      '.SH SYNOPSIS',
      '.B prompt-agent',
      '[options] "prompt"',
      '.br',
      '.B prompt-agent',
      'COMMAND [options]',
      '.SH COMMANDS',
      ...commands,
      '.SH OPTIONS',
      ...flags,
      '.SH EXIT STATUS',
      ...exits,
      '',
    ].join('\n'),
  );
  return Promise.resolve(EXIT.answer);
}

/** A text as roff reads it: no backslash, no dash that becomes a hyphen, no quote that groups words, no request at the beginning of a line. */
function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^(?=[.'])/, '\\&');
}
