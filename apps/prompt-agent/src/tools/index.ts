export { builtInTools } from './built-in-tools.ts';
export { createWorkspace } from './workspace.ts';
export type { Workspace } from './workspace.ts';
