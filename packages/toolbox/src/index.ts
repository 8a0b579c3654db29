export { blogAgent, codeAgent } from './agents/index.ts';
export type { AgentSetup, AgentMode } from './agents/index.ts';
export { permissions, withPermissions } from './permissions/index.ts';
export type { PermissionOptions, PermissionRule, Permissions } from './permissions/index.ts';
export { memoryTool, noteTools } from './memory/index.ts';
export type { MemoryLimits } from './memory/index.ts';
export { loadSkills, skillPins, validateSkill } from './skills/index.ts';
export type { LoadSkillsOptions, SkillPins, SkillRequest, Skills } from './skills/index.ts';
export { commandTools } from './commands/index.ts';
export type { CommandOptions, CommandTools } from './commands/index.ts';
export { fetchUrlTool, webSearchTool } from './web/index.ts';
export type { FetchUrlOptions, SearchEngine, SearchQuery, SearchResult } from './web/index.ts';
export { createWorkspace, memoryWorkspace, overlayWorkspace } from './workspace/index.ts';
export type { OverlayWorkspace, Workspace, WorkspaceOptions, WorkspaceRules } from './workspace/index.ts';
export {
  applyPatchTool,
  deleteTool,
  editFileTool,
  fileTools,
  globTool,
  listDirectoryTool,
  moveTool,
  readFileTool,
  searchTextTool,
  undoTool,
  writeFileTool,
} from './files/index.ts';
export type { SearchTextOptions } from './files/index.ts';
