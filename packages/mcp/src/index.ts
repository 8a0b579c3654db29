export { connectMcp } from './client/connect.ts';
export type { ConnectMcpOptions, McpToolset } from './client/connect.ts';
export { toMcpConfig } from './client/config.ts';
export type { McpConfig, McpHttpServer, McpServerConfig, McpStdioServer } from './client/config.ts';
export type { McpAnswer, McpQuestion } from './client/elicit.ts';
export type { McpPins, McpToolChange, McpToolsChange } from './client/shelf.ts';
