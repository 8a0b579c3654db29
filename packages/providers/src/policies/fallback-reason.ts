import { KernelError } from '@kernel/protocol';

/** Why the next candidate is tried. */
export type FallbackReason = 'rate-limit' | 'overload' | 'network' | 'auth';

export function fallbackReason(error: unknown): FallbackReason | undefined {
  if (!KernelError.is(error)) return undefined;
  if (error.code === 'PROVIDER_NETWORK' || error.code === 'PROVIDER_TIMEOUT') return 'network';
  const status = error.data?.['status'];
  if (error.code === 'PROVIDER_HTTP' && typeof status === 'number') {
    if (status === 429) return 'rate-limit';
    // 402: this account has no credit; another may.
    if (status === 401 || status === 402 || status === 403) return 'auth';
    if (status === 408 || status >= 500) return 'overload';
    return undefined;
  }
  const isProviderError = error.code === 'PROVIDER_HTTP' || error.code === 'PROVIDER_PROTOCOL';
  return isProviderError && error.retryable ? 'overload' : undefined;
}
