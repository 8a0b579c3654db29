import { COMMANDS } from './command-table.ts';
import type { CommandSpec } from './flags.ts';

export type CommandName = keyof typeof COMMANDS;

export function commandSpec(name: CommandName): Required<CommandSpec> {
  return { usage: '', flags: [], maxWords: 0, examples: [''], ...COMMANDS[name] };
}

export function isCommand(words: string): words is CommandName {
  return Object.hasOwn(COMMANDS, words);
}

export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter((name) => isCommand(name));
