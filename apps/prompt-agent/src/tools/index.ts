export { loadAddedTools } from './added-tools.ts';
export type { AddedTools } from './added-tools.ts';
export { builtInTools } from './built-in-tools.ts';
export { createWorkspace } from './workspace.ts';
