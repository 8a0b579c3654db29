export { builtInTools } from './built-in-tools.ts';
export { createWorkspace } from './workspace.ts';
