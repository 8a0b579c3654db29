import type { ProviderRequest, ProviderWarning } from '@kernel/protocol';

/** Options of a call. */
export interface CacheCallOptions {
  /** Aborts the call; the vendor may have carried it out nevertheless. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call that sets how long content is kept. */
export interface CacheTtlOptions extends CacheCallOptions {
  /** Time to live from now on, in milliseconds; rounded up to whole seconds. Default of `create`: the vendor's, which is an hour. */
  readonly ttlMs?: number | undefined;
}

/** The content to cache: what many requests begin with, encoded as in those requests. */
export interface CacheContentRequest extends Pick<ProviderRequest, 'model' | 'messages' | 'tools' | 'toolChoice'> {
  /** A name for people, shown in the vendor's lists. */
  readonly displayName?: string | undefined;
}

/** Content that the vendor stores. It is charged by the token and the hour until it is deleted or expires. */
export interface CachedContent {
  /** The vendor's name for it: pass it to requests of the same model as `cache: { content: name }`. */
  readonly name: string;
  /** The model that it was made for. */
  readonly model: string;
  /** When it expires, in milliseconds since 1970; absent if the vendor does not say. */
  readonly expiresAt?: number;
  /** How many tokens it has. */
  readonly tokens?: number;
  /** What had to be changed or left out for the vendor's API; only from `create`. */
  readonly warnings?: readonly ProviderWarning[];
}

/** Creates, reads and deletes the cached content of one vendor. Nothing is retried. */
export interface Caches {
  /** Stores content at the vendor. Throws `CONFIG_INVALID`, before anything is sent, for invalid content. */
  create(content: CacheContentRequest, options?: CacheTtlOptions): Promise<CachedContent>;
  /** Returns what the vendor says about content. Content that has expired is a `PROVIDER_HTTP` error with the vendor's status. */
  get(name: string, options?: CacheCallOptions): Promise<CachedContent>;
  /** Sets how long content is kept, counted from now; `ttlMs` is required. */
  update(name: string, options: CacheTtlOptions): Promise<CachedContent>;
  /** Deletes content. */
  delete(name: string, options?: CacheCallOptions): Promise<void>;
}
