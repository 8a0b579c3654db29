export { connectMcp, type McpToolOrigin, type McpToolset } from './client/connect.ts';
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
export type { McpApp, McpAppPage, McpAppPermission, McpApps, McpAppTools } from './client/apps.ts';
export type { ConnectMcpOptions } from './client/connect-options.ts';
export { toMcpConfig } from './client/config.ts';
export type { McpConfig, McpHttpServer, McpServerConfig, McpStdioServer } from './client/config.ts';
export type { McpAnswer, McpQuestion, McpRoot, McpUrlQuestion } from './client/connection/questions.ts';
export type { McpSampling, McpSamplingLimits, McpSamplingRequest } from './client/connection/sampling.ts';
export type { McpPins, McpToolChange, McpToolsChange } from './client/tools/approved-tools.ts';
export { mountTools, type MountToolsOptions } from './server/mount-tools.ts';
export type { AnswerTo, AskClient, StateKey } from './server/tools/ask-client.ts';
export type { TaskOptions } from './server/tasks/task-support.ts';
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
export { isMcpCall, type McpCallContext } from './server/tools/call-tool.ts';
export { type HttpServer, serveHttp } from './server/http/serve-http.ts';
export type { ServeHttpOptions } from './server/http/http-options.ts';
export { serveStdio, type ServeStdioOptions, type StdioServer } from './server/stdio/serve-stdio.ts';
