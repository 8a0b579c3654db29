import type { Provider } from '@kernel/protocol';
import type { LoadedConfig } from './config/load-config.ts';
import type { Choice } from './model/choose-model.ts';
import type { Flags } from './options/flags.ts';
import type { Host } from './host.ts';
import type { Output } from './output/output.ts';

/** One invocation of the program with a model, as its commands see it. */
export interface Invocation {
  /** The flags of the command line. */
  readonly flags: Flags;
  /** The config in effect. */
  readonly loaded: LoadedConfig;
  /** The provider and model, and where they came from. */
  readonly choice: Choice;
  /** The provider, with retries. */
  readonly provider: Provider;
  /** What the program gets from outside. */
  readonly host: Host;
  /** The standard streams. */
  readonly output: Output;
  /** Aborts on Ctrl-C and when stdout is closed. */
  readonly signal: AbortSignal;
}
