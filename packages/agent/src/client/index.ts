export { createModelClient } from './model-client.ts';
export { createModelClients } from './model-clients.ts';
export type { ModelClients } from './model-clients.ts';
export type {
  ImageInput,
  MessageInput,
  ModelCapability,
  ModelClient,
  ModelClientOptions,
  ModelReply,
  RequestOptions,
} from './types.ts';
