export { verifies } from './verifies.ts';
export { scriptedProvider } from './scripted-provider.ts';
export type {
  ScriptedFault,
  ScriptedProvider,
  ScriptedProviderOptions,
  ScriptedRequest,
  ScriptStep,
} from './scripted-provider.ts';
export type { NeutralReply, ScriptedCall, ScriptedReply } from './scripted-reply.ts';
export {
  audioProvider,
  chatProvider,
  embeddingsProvider,
  failingProvider,
  multiProtocolProvider,
  streamingChatProvider,
  streamingToolsProvider,
  toolsProvider,
} from './mock-providers.ts';
export type { MultiProtocolAnswers } from './mock-providers.ts';
export { mockTool, mockToolset } from './mock-toolset.ts';
export type { MockBehaviour, MockTool, MockToolset } from './mock-toolset.ts';
export { startWireServer } from './wire-server.ts';
export type { WireScript, WireServer, WireServerOptions } from './wire-server.ts';
export type { RawReply, WireFault, WireReply } from './wire/reply.ts';
export type { RecordedRequest } from './wire/route.ts';
export type { WireName } from './wire/spell.ts';
export { toFrame } from './wire/bedrock.ts';
export type { ConformanceCase } from './conformance/case.ts';
export { providerConformance } from './conformance/provider.ts';
export type { ConformanceSubject, MakeProvider } from './conformance/provider.ts';
export { wireConformance } from './conformance/provider-wire.ts';
export type { WireDelivery, WireRecording } from './conformance/provider-wire.ts';
export { toolsetConformance } from './conformance/toolset.ts';
export type { ToolsetUnderTest } from './conformance/toolset.ts';
