// Our packages as they are built: `pnpm build` comes first.
export { createProvider } from '../../packages/providers/dist/index.js';
export { collect, run } from '../../packages/agent/dist/index.js';
export { bindTool, createRegistry } from '../../packages/tools/dist/index.js';
