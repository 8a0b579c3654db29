export { bindTool } from './tool/bind-tool.ts';
export type {
  BindingOptions,
  Concurrency,
  InputCheck,
  RepairPolicy,
  ToolBinding,
  ToolCondition,
  ToolHandler,
  UnknownProperties,
} from './tool/binding.ts';
export { createCapabilities, customCapabilities, environmentVariable, programOnPath } from './capabilities.ts';
export type { Capabilities, CapabilityCheck, CapabilityOptions } from './capabilities.ts';
export { defineTool } from './tool/define-tool.ts';
export type { ToolDraft } from './tool/define-tool.ts';
export { createRegistry } from './registry/registry.ts';
export type { ExecuteOptions, RegistryOptions, ToolRegistry } from './registry/registry.ts';
export type { BindingSource, Changes, RegisterOptions, RegisterResult } from './registry/registration.ts';
export type {
  CallEnd,
  CallEvent,
  CallLate,
  CallProgress,
  CallStart,
  RegistryChange,
  RegistryChangeKind,
  RegistryEvent,
  RegistryListener,
} from './registry/events.ts';
export type { Turns } from './registry/availability.ts';
export type { RawArguments } from './arguments/parse.ts';
export { compileSchema } from './schema/compile-schema.ts';
export type { CompileOptions, Validator } from './schema/compile-schema.ts';
export type { Fault } from './schema/check.ts';
export type { InputSchema, OutputOf, StandardIssue, StandardResult } from './tool/standard-schema.ts';
export { BLOG_AGENT, CODE_AGENT, defineBundle, resolveBundle } from './bundle.ts';
export type { ResolvedBundle, ToolBundle } from './bundle.ts';
export { TOOL_CATEGORIES } from './category.ts';
export type { StandardCategory } from './category.ts';
export { loadRegistry, saveRegistry } from './registry/state-file.ts';
export type { LoadedRegistry, SavedTool } from './registry/state-file.ts';
export { toolPrompt } from './tool-prompt.ts';
export type { PromptTier, ToolPromptOptions } from './tool-prompt.ts';
export type { Lists } from './registry/queries.ts';
export type { Mount } from './registry/mount.ts';
export type { RegistryState } from './registry/state.ts';
export type { ToolView, ViewFilter } from './registry/view.ts';
export { READ_RESULT, createResultStore, readResultTool } from './call/result-store.ts';
export type { ResultStore } from './call/result-store.ts';
export { patternSearchTool, searchTool } from './model-tools/search-tool.ts';
export type { SearchOptions, Searchable } from './model-tools/search-tool.ts';
export { bindStatefulTool } from './compat/stateful-tool.ts';
export type { StatefulTool } from './compat/stateful-tool.ts';
