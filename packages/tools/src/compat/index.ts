export { BLOG_AGENT, CODE_AGENT } from './bundles.ts';
export { defaultRegistry, execute, get, list, register, replace } from './default-registry.ts';
export { bindStatefulTool } from './stateful-tool.ts';
export type { StatefulTool } from './stateful-tool.ts';
