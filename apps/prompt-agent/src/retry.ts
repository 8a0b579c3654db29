import type { RetryOptions } from '@kernel/providers';
import type { LoadedConfig } from './config.ts';
import type { Choice } from './detect.ts';

const LOCAL_PROVIDERS = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm']);

/** The first wait for a server on this machine: it comes back at once or not at all. */
const LOCAL_BACKOFF_MS = 200;

/** How requests are tried again: as the config says, else by its defaults; sooner for a server on this machine, about 1.4 s in all. */
export function retryFor({ provider }: Pick<Choice, 'provider'>, { config, hasRetry }: LoadedConfig): RetryOptions {
  const { retry } = config.client;
  const isLocal = provider.baseUrl === undefined ? LOCAL_PROVIDERS.has(provider.name) : isLoopback(provider.baseUrl);
  return hasRetry || !isLocal ? retry : { ...retry, initialBackoffMs: LOCAL_BACKOFF_MS };
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
