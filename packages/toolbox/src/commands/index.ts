export { commandTools } from './command-tools.ts';
export type { CommandOptions } from './command-options.ts';
export type { CommandTools } from './command-tools.ts';
export { DEFAULT_VARIABLES } from './environment.ts';
export type {
  RunningTerminal,
  TerminalCommand,
  TerminalEnd,
  TerminalOptions,
  TerminalOutput,
  Terminals,
} from './terminal/terminals.ts';
export * from './isolation/index.ts';
