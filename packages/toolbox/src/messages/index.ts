export { messageTool } from './message-tool.ts';
export type { MessageChannel, OutgoingMessage } from './message-tool.ts';
export { streamChannel } from './stream-channel.ts';
export { webhookChannel } from './webhook-channel.ts';
export type { WebhookOptions } from './webhook-channel.ts';
