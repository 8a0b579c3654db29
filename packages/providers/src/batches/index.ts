export { createBatches } from './batches.ts';
export type { BatchConfig } from './batches.ts';
export type {
  Batch,
  BatchCallOptions,
  Batches,
  BatchRequest,
  BatchResult,
  BatchResultOptions,
  BatchWaitOptions,
} from './types.ts';
