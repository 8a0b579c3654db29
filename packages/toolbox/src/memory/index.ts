export { memoryTool } from './memory-tool.ts';
export { noteTools } from './notes/note-tools.ts';
export type { MemoryLimits } from './memory-files.ts';
