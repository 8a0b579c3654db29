export { bindTool } from './bind.ts';
export type {
  BindingOptions,
  Concurrency,
  InputCheck,
  RepairPolicy,
  ToolBinding,
  ToolCondition,
  ToolHandler,
  UnknownProperties,
} from './binding.ts';
export { createCapabilities, customCapabilities, environmentVariable, programOnPath } from './capability.ts';
export type { Capabilities, CapabilityCheck, CapabilityOptions } from './capability.ts';
export { defineTool } from './define.ts';
export type { ToolDraft } from './define.ts';
export { createRegistry } from './registry.ts';
export type { ExecuteOptions, RegistryOptions, ToolRegistry } from './registry.ts';
export type { BindingSource, Changes, RegisterOptions, RegisterResult } from './registry/changes.ts';
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
export type { Turns } from './registry/turns.ts';
export type { RawArguments } from './arguments/parse.ts';
export { compileSchema } from './schema/compile.ts';
export type { CompileOptions, Validator } from './schema/compile.ts';
export type { Fault } from './schema/check.ts';
export type { InputSchema, OutputOf, StandardIssue, StandardResult } from './standard.ts';
export { BLOG_AGENT, CODE_AGENT, defineBundle, resolveBundle } from './bundle.ts';
export type { ResolvedBundle, ToolBundle } from './bundle.ts';
export { TOOL_CATEGORIES } from './category.ts';
export type { StandardCategory } from './category.ts';
export { loadRegistry, saveRegistry } from './persist.ts';
export type { LoadedRegistry, SavedTool } from './persist.ts';
export { toolPrompt } from './prompt.ts';
export type { PromptTier, ToolPromptOptions } from './prompt.ts';
export type { Lists } from './registry/lists.ts';
export type { Mount } from './registry/mount.ts';
export type { RegistryState } from './registry/state.ts';
export type { ToolView, ViewFilter } from './registry/view.ts';
export { READ_RESULT, createResultStore, readResultTool } from './results.ts';
export type { ResultStore } from './results.ts';
export { patternSearchTool, searchTool } from './search.ts';
export type { SearchOptions, Searchable } from './search.ts';
export { bindStatefulTool } from './stateful.ts';
export type { StatefulTool } from './stateful.ts';
