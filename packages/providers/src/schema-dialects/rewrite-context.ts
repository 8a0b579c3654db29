import type { JsonSchema } from '@kernel/protocol';
import type { Budget } from './budget.ts';
import type { DialectRules } from './dialects.ts';

/** Something that a tool's schema says and a vendor's dialect cannot. Local validation still checks it. */
export interface DialectLoss {
  /** JSON pointer into the tool's schema. */
  readonly path: string;
  /** The keyword that is lost or changed. */
  readonly keyword: string;
  /** What happens to it. */
  readonly message: string;
}

/** The state of rewriting one schema. @internal */
export interface RewriteContext {
  /** What the dialect accepts. */
  readonly rules: DialectRules;
  /** The tool's whole schema, for references. */
  readonly root: JsonSchema;
  /** Limits how large the result becomes. */
  readonly budget: Budget;
  /** What is lost so far. */
  readonly losses: DialectLoss[];
  /** The references being inlined; one that occurs again is recursive. */
  readonly activeRefs: readonly string[];
}
