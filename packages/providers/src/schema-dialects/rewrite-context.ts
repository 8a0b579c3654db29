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

export interface RewriteContext {
  readonly rules: DialectRules;
  readonly root: JsonSchema;
  readonly budget: Budget;
  readonly losses: DialectLoss[];
  /** One that occurs again is recursive. */
  readonly activeRefs: readonly string[];
}
