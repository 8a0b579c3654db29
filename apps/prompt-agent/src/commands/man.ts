import type { CommandCall } from '../command-call.ts';
import { EXIT } from '../exit-code.ts';
import { COMMAND_NAMES, commandSpec } from '../options/commands.ts';
import { FLAG_NAMES, specOf } from '../options/flags.ts';

export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.answer, 'An answer'],
  [EXIT.failed, 'The run failed in another way, a call failed offline, or stdout cannot be written'],
  [EXIT.usage, 'Wrong usage or config; one line names the flag, or file and path'],
  [EXIT.offline, 'Offline cannot answer this'],
  [EXIT.approval, 'A call needs an approval that nobody could give'],
  [EXIT.limit, 'A limit was reached before the answer: turns, time, cost, the length of the reply'],
  [EXIT.loop, 'The model repeated the same calls'],
  [EXIT.refused, 'The provider refused the request or the key (HTTP 4xx), or filtered the reply'],
  [EXIT.network, 'The provider was not reached or not available (HTTP 5xx), or the connection broke'],
  [EXIT.interrupted, 'Interrupted by Ctrl-C, within a second'],
];

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
  const flags = FLAG_NAMES.flatMap((name) => {
    const { short, value = '', help } = specOf(name);
    return [
      '.TP',
      `.B ${escape(`${short === undefined ? '' : `-${short}, `}--${name} ${value}`.trimEnd())}`,
      escape(`${help.charAt(0).toUpperCase()}${help.slice(1)}.`),
    ];
  });
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
