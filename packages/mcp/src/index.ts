export { isMcpCall } from './server/call-tool.ts';
export type { McpCallContext } from './server/call-tool.ts';
export { mountTools } from './server/mount-tools.ts';
export { serveHttp } from './server/serve-http.ts';
export type { HttpServer } from './server/start-http.ts';
export type { ServeHttpOptions } from './server/http-options.ts';
export { serveStdio } from './server/serve-stdio.ts';
export type { ServeStdioOptions, StdioServer } from './server/serve-stdio.ts';
export type { ServerOptions } from './server/server-options.ts';
