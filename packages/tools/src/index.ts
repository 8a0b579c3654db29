export { TOOL_CATEGORIES, defineBundle, resolveBundle } from './bundle.ts';
export type { ResolvedBundle, StandardCategory, ToolBundle } from './bundle.ts';
export type { CallEvent } from './call/call-events.ts';
export { READ_RESULT, createResultStore } from './call/result-store.ts';
export type { ResultStore } from './call/result-store.ts';
export { withHiddenTools } from './model-tools/with-hidden-tools.ts';
export { readResultTool } from './model-tools/read-result-tool.ts';
export { patternSearchTool, searchTool } from './model-tools/search-tool.ts';
export type { SearchToolOptions, SearchableTools } from './model-tools/search-tool.ts';
export type { RegistryChange, RegistryEvent, RegistryListener } from './registry/events.ts';
export type { ExecuteOptions, RegistryOptions } from './registry/options.ts';
export { createRegistry } from './registry/registry.ts';
export { loadRegistry, saveRegistry } from './registry/state-file.ts';
export type { LoadedRegistry } from './registry/state-file.ts';
export type {
  BindingSource,
  Mount,
  MountOptions,
  RegisterOptions,
  RegisterResult,
  SavedTool,
  ToolRegistry,
} from './registry/types.ts';
export type { ToolView, ViewFilter } from './registry/view.ts';
export { toolPrompt } from './tool-prompt.ts';
export type { ToolPromptOptions } from './tool-prompt.ts';
export { bindTool } from './tool/bind-tool.ts';
export type {
  BindingOptions,
  Concurrency,
  RepairPolicy,
  ToolBinding,
  ToolCondition,
  ToolHandler,
  UnknownProperties,
} from './tool/binding.ts';
export { defineTool } from './tool/define-tool.ts';
export type { DefineToolOptions, ToolDefiner } from './tool/define-tool.ts';
export type { NamedTools, ToolTypes } from './tool/tool-types.ts';
export type { InputOf, RawArguments, StandardSchemaWithJson, OutputOf } from '@kernel/schema';
