export type { Tool } from '@kernel/protocol';
