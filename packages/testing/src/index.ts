export { verifies } from './verifies.ts';
export { scriptedProvider } from './scripted-provider.ts';
export type { ScriptedFault, ScriptedProvider, ScriptedRequest, ScriptStep } from './scripted-provider.ts';
export type { ScriptedCall, ScriptedReply } from './scripted-reply.ts';
export { mockTool, mockToolset } from './mock-toolset.ts';
export type { MockBehaviour, MockTool, MockToolset } from './mock-toolset.ts';
export type { ConformanceCase } from './conformance/case.ts';
export { toolsetConformance } from './conformance/toolset.ts';
export type { ToolsetUnderTest } from './conformance/toolset.ts';
