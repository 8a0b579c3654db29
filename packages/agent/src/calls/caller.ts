import type { CallContext } from '@kernel/protocol';

/** What every call of a run gets in its context from the options of the run. */
export type Caller = Pick<CallContext, 'conversation' | 'context'>;
