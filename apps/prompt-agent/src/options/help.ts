import { createRequire } from 'node:module';
import { COMMAND_NAMES, type CommandName, commandSpec } from './commands.ts';
import { type FlagName, specOf } from './flags.ts';

/** The text of `prompt-agent --help`: it fits a screen of 80 columns. Of a group of commands the first stands for all. */
export function helpText(): string {
  const seen = new Set<string>();
  const commands = COMMAND_NAMES.flatMap((name) => {
    const [group = name] = name.split(' ');
    if (seen.has(group)) return [];
    seen.add(group);
    return [`  ${name.padEnd(14)}${commandSpec(name).summary}`];
  });
  return [
    'Usage: prompt-agent [options] "prompt"',
    '       prompt-agent COMMAND [options]',
    '',
    ...commands,
    '',
    ...commandSpec('ask').examples.map((example) => `  prompt-agent ${example}`),
    '',
    'The options of a command: prompt-agent COMMAND --help',
    '',
  ].join('\n');
}

export function groupHelp(group: string): string {
  const names = COMMAND_NAMES.filter((name) => name.startsWith(`${group} `));
  const words = names.map((name) => name.slice(group.length + 1));
  const width = Math.max(...words.map((word) => word.length)) + 4;
  return [
    `Usage: prompt-agent ${group} COMMAND [options]`,
    '',
    // After the semicolon the summary of the first names the others, for the help of the program.
    ...names.map((name, at) => `  ${(words[at] ?? '').padEnd(width)}${commandSpec(name).summary.split('; ')[0]}`),
    '',
    `The options of one: prompt-agent ${group} COMMAND --help`,
    '',
  ].join('\n');
}

export function commandHelp(name: CommandName): string {
  const { usage, summary, flags, examples } = commandSpec(name);
  const named = nameOf(name);
  return [
    `Usage: prompt-agent${named} [options] ${usage}`.trimEnd(),
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    ...advertised(flags).map((flag) => flagLine(flag)),
    '',
    ...examples.map((example) => `  prompt-agent${named} ${example}`.trimEnd()),
    ...(examples.length === 0 ? [] : ['']),
  ].join('\n');
}

function nameOf(name: string): string {
  return name === 'ask' ? '' : ` ${name}`;
}

/** The flags without those that are another name for one, which are accepted all the same. */
export function advertised(flags: readonly FlagName[]): readonly FlagName[] {
  return flags.filter((flag) => specOf(flag).aliasOf === undefined);
}

/** The line of a flag in the help of a command. */
export function flagLine(name: FlagName): string {
  const { short, value = '', help } = specOf(name);
  const letter = short === undefined ? '    ' : `-${short}, `;
  return `  ${letter}${`--${name} ${value}`.trimEnd().padEnd(26)}${help}`;
}

export function version(): string {
  // Found from each folder that the code may be in: the sources, the bundle and its chunks.
  const require = createRequire(import.meta.url);
  const manifest: unknown = require('@kernel/prompt-agent/package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
