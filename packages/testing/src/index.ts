export { verifies } from './verifies.ts';
export { scriptedProvider } from './scripted-provider.ts';
export type { ScriptedFault, ScriptedProvider, ScriptedRequest, ScriptStep } from './scripted-provider.ts';
export type { ScriptedCall, ScriptedReply } from './scripted-reply.ts';
export { mockTool, mockToolset } from './mock-toolset.ts';
export type { MockBehaviour, MockTool, MockToolset } from './mock-toolset.ts';
export type { ConformanceCase } from './conformance/case.ts';
export { toolsetConformance } from './conformance/toolset.ts';
export type { ToolsetUnderTest } from './conformance/toolset.ts';
export { startWireServer } from './wire-server.ts';
export type { WireScript, WireServer, WireServerOptions } from './wire-server.ts';
export type { RawReply, ScriptedCall as WireCall, WireFault, WireReply } from './wire/reply.ts';
export type { RecordedRequest } from './wire/route.ts';
export { providerConformance } from './conformance/provider.ts';
export type {
  ConformanceCase as ProviderConformanceCase,
  ConformanceReply,
  ConformanceSubject,
  MakeProvider,
} from './conformance/provider.ts';
export { wireConformance } from './conformance/provider-wire.ts';
export type { WireDelivery, WireRecording } from './conformance/provider-wire.ts';
