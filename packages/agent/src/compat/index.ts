export { runToolLoop } from './run-tool-loop.ts';
export type { ToolLoopConfig, ToolLoopResult } from './run-tool-loop.ts';
