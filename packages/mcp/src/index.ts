export { connectMcp } from './client/connect.ts';
export type { McpToolOrigin, McpToolset } from './client/connect.ts';
export type {
  McpCompletion,
  McpContentOptions,
  McpContents,
  McpListOptions,
  McpPrompt,
  McpPromptArgument,
  McpResource,
  McpResourceTemplate,
  McpServerInfo,
} from './client/contents.ts';
export type { McpApp, McpAppPage, McpAppPermission } from './client/apps/app-page.ts';
export type { McpApps, McpAppTools } from './client/apps/apps.ts';
export type { ConnectMcpOptions } from './client/connect-options.ts';
export { toMcpConfig } from './client/config.ts';
export type { McpConfig, McpHttpServer, McpServerConfig, McpStdioServer } from './client/config.ts';
export type { McpAnswer, McpQuestion, McpUrlQuestion } from './client/connection/elicitation.ts';
export type { McpRoot } from './client/connection/open-connection.ts';
export type { McpSampling, McpSamplingLimits, McpSamplingRequest } from './client/connection/sampling.ts';
export type { McpPins } from './client/tools/definition-approvals.ts';
export type { McpToolChange, McpToolsChange } from './client/tools/tool-changes.ts';
export { mountTools } from './server/mount-tools.ts';
export type { MountToolsOptions } from './server/mount-tools.ts';
export type { AnswerTo, AskClient, StateKey } from './server/tools/ask-client.ts';
export type { TaskOptions } from './server/tasks/task-options.ts';
export { createMemoryTaskStore } from './server/tasks/task-store.ts';
export type { MemoryTaskLimits, TaskRecord, TaskStatus, TaskStore } from './server/tasks/task-store.ts';
export type { PromptText, ServedPrompt, ServedPromptArgument } from './server/content/prompts.ts';
export type {
  ServedContent,
  ServedFiles,
  ServedReadOptions,
  ServedSkillEntry,
  ServedSkills,
} from './server/content/served-content.ts';
export type { ServerOptions } from './server/server-options.ts';
export { isMcpCall } from './server/tools/call-tool.ts';
export type { McpCallContext } from './server/tools/call-tool.ts';
export { serveHttp } from './server/http/serve-http.ts';
export type { ServeHttpOptions } from './server/http/http-options.ts';
export type { HttpServer } from './server/http/start-http.ts';
export { serveStdio } from './server/stdio/serve-stdio.ts';
export type { ServeStdioOptions, StdioServer } from './server/stdio/serve-stdio.ts';
