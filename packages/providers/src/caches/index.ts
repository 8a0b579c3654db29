export { createCaches } from './create-caches.ts';
export type {
  CacheCallOptions,
  CacheTtlOptions,
  Caches,
  CacheContentRequest,
  CachedContent,
} from '../gemini/caches.ts';
