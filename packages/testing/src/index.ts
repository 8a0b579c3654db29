export { verifies } from './verifies.ts';
export { timeGrowth } from './time-growth.ts';
export type { TimeGrowthOptions } from './time-growth.ts';
export { scriptedProvider } from './fakes/scripted-provider.ts';
export type {
  ScriptedFault,
  ScriptedProvider,
  ScriptedProviderOptions,
  ScriptedRequest,
  ScriptStep,
} from './fakes/scripted-provider.ts';
export type { NeutralReply, ScriptedCall, ScriptedReply } from './fakes/scripted-reply.ts';
export {
  audioProvider,
  chatProvider,
  embeddingsProvider,
  failingProvider,
  multiProtocolProvider,
  streamingChatProvider,
  streamingToolsProvider,
  toolsProvider,
} from './fakes/mock-providers.ts';
export type { MultiProtocolAnswers } from './fakes/mock-providers.ts';
export { mockTool, mockToolset } from './fakes/mock-toolset.ts';
export type { MockBehavior, MockTool, MockToolset } from './fakes/mock-toolset.ts';
export { startWireServer } from './wire-server/start-wire-server.ts';
export type { WireScript, WireServer, WireServerOptions } from './wire-server/start-wire-server.ts';
export type { RawReply, WireFault, WireReply } from './wire-server/reply.ts';
export type { RecordedRequest } from './wire-server/formats.ts';
export type { WireName } from './wire-server/wire-format.ts';
export { toEventStreamFrame } from './wire-server/wires/bedrock.ts';
export type { ConformanceCase } from './conformance/case.ts';
export { providerConformance } from './conformance/provider.ts';
export type { ConformanceSubject, MakeProvider } from './conformance/provider.ts';
export { wireConformance } from './conformance/provider-wire.ts';
export type { WireDelivery, WireRecording } from './conformance/provider-wire.ts';
export { toolsetConformance } from './conformance/toolset.ts';
export type { ToolsetUnderTest } from './conformance/toolset.ts';
export { createMemoryJournal } from './fakes/memory-journal.ts';
export type { JournalEntries, JournalEntry, MemoryJournal, MemoryJournalOptions } from './fakes/memory-journal.ts';
export { stepsConformance } from './conformance/steps.ts';
export type { StepsUnderTest } from './conformance/steps.ts';
