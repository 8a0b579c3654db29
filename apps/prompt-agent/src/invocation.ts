import type { Provider } from '@kernel/protocol';
import type { CommandCall } from './command-call.ts';
import type { LoadedConfig } from './config/load-config.ts';
import type { Choice } from './model/choose-model.ts';

export interface Invocation extends CommandCall {
  readonly loaded: LoadedConfig;
  readonly choice: Choice;
  /** The provider, with retries. */
  readonly provider: Provider;
  /** The credential, if it is a string; never shown. */
  readonly secret: string | undefined;
}
