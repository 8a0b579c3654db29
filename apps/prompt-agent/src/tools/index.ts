export { loadAddedTools } from '../added-tools/added-tools.ts';
export type { AddedTools } from '../added-tools/added-tools.ts';
export { builtInTools } from './built-in-tools.ts';
