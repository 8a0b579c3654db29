export { cosineSimilarity } from './cosine-similarity.ts';
export { embedMany } from './embed-many.ts';
export type { EmbedManyRequest } from './embed-many.ts';
