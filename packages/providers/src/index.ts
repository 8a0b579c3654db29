export { createProvider, createProviders } from './create.ts';
export type { ProviderCatalog, ProviderFactory } from './create.ts';
export type { ProviderConfig } from './config.ts';
export { toFunctionDefinition } from './function-definition.ts';
export type { FunctionDefinition } from './function-definition.ts';
export type { Timeouts } from './transport/clocks.ts';
export type { TokenSource } from './transport/token.ts';
