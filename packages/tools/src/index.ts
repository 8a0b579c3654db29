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
