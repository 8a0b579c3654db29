import type { Provider } from '@kernel/protocol';
import type { LoadedConfig } from './config.ts';
import type { Choice } from './detect.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import type { Output } from './render/output.ts';

/** What a command works with. */
export interface Session {
  readonly flags: Flags;
  readonly prompt: string;
  readonly loaded: LoadedConfig;
  readonly choice: Choice;
  readonly provider: Provider;
  readonly host: Host;
  readonly output: Output;
  /** Aborted by Ctrl-C and by a closed stdout. */
  readonly signal: AbortSignal;
}
