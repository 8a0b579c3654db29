export { bubblewrap } from './bubblewrap.ts';
export { containerIsolation } from './container.ts';
export type { ContainerOptions } from './container.ts';
export { type DetectedIsolation, detectIsolation, measureIsolation } from './detect-isolation.ts';
export { linuxNamespaces } from './namespaces.ts';
export { sandboxExec } from './sandbox-exec.ts';
export type { IsolatedCommand, Isolation, IsolationRequest } from './types.ts';
