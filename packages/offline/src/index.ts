export { offlineProvider } from './offline-provider.ts';
export type { OfflineConfig } from './offline-provider.ts';
export type { ToolPhrase } from './phrases/match-phrase.ts';
