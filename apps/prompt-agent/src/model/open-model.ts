import { isLoopback } from '@kernel/internal';
import { type RetryOptions, withRetry } from '@kernel/providers';
import type { CommandCall } from '../command-call.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import type { Invocation } from '../invocation.ts';
import { offlineWarnings } from '../options/check-ask.ts';
import { modelNote, retryNote } from '../output/terminal/notes.ts';
import { type Choice, chooseModel, type ModelNeed } from './choose-model.ts';
import { providers } from './providers.ts';

/**
 * Reads the config and opens the provider that a command uses, with retries. Which model it is and why is a note on stderr. With `isRaw` it is one raw call of a
 * protocol, for which a config file without a provider means `ollama`. Rejects with a usage error.
 */
export async function openModel(given: CommandCall, need: ModelNeed = 'chat', isRaw = false): Promise<Invocation> {
  const hasToken = (['token', 'token-file', 'token-command'] as const).some((flag) => given.flags[flag] !== undefined);
  const call = hasToken ? await (await import('../credentials/token-of-flags.ts')).withToken(given) : given;
  const { flags, host, output } = call;
  const loaded = await loadConfig(call);
  for (const warning of loaded.warnings) output.note(`warning: ${warning}`);
  if (flags.replay !== undefined) {
    const { openCassette } = await import('./cassette.ts');
    const recorded = await openCassette(flags.replay, host);
    output.note(modelNote(recorded.choice));
    return { ...call, loaded, ...recorded, secret: undefined };
  }
  const choice = await chooseModel(call, loaded, need, isRaw);
  const { token } = choice.provider;
  const secret = typeof token === 'string' ? token : undefined;
  output.hide(secret);
  const retried = withRetry(providers.create(choice.provider), {
    ...retryFor(choice, loaded),
    // Where there is no terminal, nothing else says what is waited for.
    onRetry: (retry) => output[host.editor === undefined ? 'note' : 'alert'](retryNote(retry)),
  });
  const provider =
    flags.record === undefined
      ? retried
      : await (await import('./cassette.ts')).recordTo(flags.record, retried, secret, host);
  output.note(modelNote(choice));
  if (choice.provider.name === 'offline')
    for (const warning of offlineWarnings(flags)) output.note(`warning: ${warning}`);
  return { ...call, loaded, choice, provider, secret };
}

const LOCAL_PROVIDERS = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm']);

/** The first wait for a server on this machine, which recovers quickly or not at all. */
const LOCAL_BACKOFF_MS = 200;

/** Returns how requests are retried: by the config or its defaults, but sooner for a server on this machine, for about 1.4 s in all. */
function retryFor({ provider }: Pick<Choice, 'provider'>, { config, hasRetry }: LoadedConfig): RetryOptions {
  const { retry } = config.client;
  const isLocal = provider.baseUrl === undefined ? LOCAL_PROVIDERS.has(provider.name) : isLocalUrl(provider.baseUrl);
  return hasRetry || !isLocal ? retry : { ...retry, initialBackoffMs: LOCAL_BACKOFF_MS };
}

function isLocalUrl(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
