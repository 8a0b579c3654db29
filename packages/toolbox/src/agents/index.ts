export { blogAgent } from './blog-agent.ts';
export type { BlogAgentOptions } from './blog-agent.ts';
export { codeAgent } from './code-agent.ts';
export type { CodeAgentOptions } from './code-agent.ts';
export { projectCommands } from './project-commands.ts';
export type { ProjectCommands } from './project-commands.ts';
export type { AgentSetup, AgentMode } from './types.ts';
