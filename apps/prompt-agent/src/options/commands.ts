import { COMMANDS } from './command-table.ts';
import type { CommandSpec } from './flags.ts';

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** Returns the specification of a command. */
export function commandSpec(name: CommandName): Required<CommandSpec> {
  return { usage: '', flags: [], maxWords: 0, examples: [''], ...COMMANDS[name] };
}

/** Whether these words are the name of a command. */
export function isCommand(words: string): words is CommandName {
  return Object.hasOwn(COMMANDS, words);
}

/** All names, in the order of the help. */
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter((name) => isCommand(name));
