import { KernelError } from '@kernel/protocol';

/** Why the next candidate is asked. */
export type FallbackReason = 'rate-limit' | 'overload' | 'network' | 'auth';

/** Says why another candidate may do better, or nothing where the request itself is at fault. */
export function fallbackReason(error: unknown): FallbackReason | undefined {
  if (!KernelError.is(error)) return undefined;
  if (error.code === 'PROVIDER_NETWORK' || error.code === 'PROVIDER_TIMEOUT') return 'network';
  const status = error.data?.['status'];
  if (error.code === 'PROVIDER_HTTP' && typeof status === 'number') {
    if (status === 429) return 'rate-limit';
    // 402: the account has no money left; another account may.
    if (status === 401 || status === 402 || status === 403) return 'auth';
    if (status === 408 || status >= 500) return 'overload';
    return undefined;
  }
  const isProviders = error.code === 'PROVIDER_HTTP' || error.code === 'PROVIDER_PROTOCOL';
  return isProviders && error.retryable ? 'overload' : undefined;
}
