export { verifies } from './verifies.ts';
export { startWireServer } from './wire-server.ts';
export type { WireScript, WireServer, WireServerOptions } from './wire-server.ts';
export type { RawReply, ScriptedCall, WireFault, WireReply } from './wire/reply.ts';
export type { RecordedRequest } from './wire/route.ts';
export { providerConformance } from './conformance/provider.ts';
export type { ConformanceCase, ConformanceReply, ConformanceSubject, MakeProvider } from './conformance/provider.ts';
export { wireConformance } from './conformance/provider-wire.ts';
export type { WireDelivery, WireRecording } from './conformance/provider-wire.ts';
