export { createBatches } from './create-batches.ts';
export type { BatchConfig } from './create-batches.ts';
export type {
  Batch,
  BatchCallOptions,
  Batches,
  BatchRequest,
  BatchResult,
  BatchResultOptions,
  BatchWaitOptions,
} from './batch-api.ts';
