export { catalog, execute, get, list, register, replace } from './catalog.ts';
export type { CatalogHandler } from './catalog.ts';
export { bindStatefulTool } from './stateful-tool.ts';
export type { StatefulTool } from './stateful-tool.ts';
