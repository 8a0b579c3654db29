export { createCaches } from './create-caches.ts';
export type { CacheCallOptions, CacheTtlOptions, Caches, ContentToCache, CachedContent } from './types.ts';
