import { isLoopback } from '@kernel/internal';
import type { RetryOptions } from '@kernel/providers';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Choice } from './choose-model.ts';

const LOCAL_PROVIDERS = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm']);

/** The first wait for a server on this machine, which recovers quickly or not at all. */
const LOCAL_BACKOFF_MS = 200;

/** Returns how requests are retried: by the config or its defaults, but sooner for a server on this machine, for about 1.4 s in all. */
export function retryFor({ provider }: Pick<Choice, 'provider'>, { config, hasRetry }: LoadedConfig): RetryOptions {
  const { retry } = config.client;
  const isLocal = provider.baseUrl === undefined ? LOCAL_PROVIDERS.has(provider.name) : isLocalUrl(provider.baseUrl);
  return hasRetry || !isLocal ? retry : { ...retry, initialBackoffMs: LOCAL_BACKOFF_MS };
}

function isLocalUrl(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
