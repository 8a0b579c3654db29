import type { CommandSpec } from './command-spec.ts';
import { JOURNAL_COMMANDS } from './journal-commands.ts';
import { RUN_COMMANDS } from './run-commands.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import { SETTING_COMMANDS } from './setting-commands.ts';
import { TOOL_COMMANDS } from './tool-commands.ts';

/** Every command by its name; that of a subcommand has two words. `ask` is the one without a name on the command line. */
export const COMMANDS = {
  ...RUN_COMMANDS,
  ...SESSION_COMMANDS,
  ...JOURNAL_COMMANDS,
  ...TOOL_COMMANDS,
  ...SETTING_COMMANDS,
};

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** Returns the specification of a command. */
export function commandSpec(name: CommandName): CommandSpec {
  return COMMANDS[name];
}

/** Whether these words are the name of a command. */
export function isCommand(words: string): words is CommandName {
  return Object.hasOwn(COMMANDS, words);
}

/** All names, in the order of the help. */
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter((name) => isCommand(name));
