export { loadModuleTools } from './module-tools.ts';
export { builtInTools } from './built-in-tools.ts';
export { createWorkspace } from './workspace.ts';
