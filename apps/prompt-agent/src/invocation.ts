import type { Provider } from '@kernel/protocol';
import type { LoadedConfig } from './config/load-config.ts';
import type { Host } from './host.ts';
import type { Choice } from './model/choose-model.ts';
import type { Flags } from './options/flags.ts';
import type { Output } from './output/output.ts';

export interface CommandCall {
  /** The flags; those that the command does not know were refused. */
  readonly flags: Flags;
  /** The words after the name of the command. */
  readonly words: readonly string[];
  readonly host: Host;
  readonly output: Output;
  /** Aborts on Ctrl-C and when stdout is closed. */
  readonly signal: AbortSignal;
}

/** Runs a command and resolves with the exit code. Rejects with an error that `exitCodeOf` knows. */
export type RunCommand = (call: CommandCall) => Promise<number>;

/** A call of a command that needs a model. */
export interface Invocation extends CommandCall {
  readonly loaded: LoadedConfig;
  readonly choice: Choice;
  /** The provider, with retries. */
  readonly provider: Provider;
  /** The credential, where it is a text: nothing shows it. */
  readonly secret: string | undefined;
}
