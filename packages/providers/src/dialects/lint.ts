import type { ProviderWarning, Tool } from '@kernel/protocol';
import type { Dialect } from './dialects.ts';
import type { DialectLoss } from './rewrite.ts';
import { type DialectSchema, toolDialect } from './to-dialect.ts';

/** A tool's schema as a wire will send it, and what to tell about it. @internal */
export interface ChosenSchema extends DialectSchema {
  readonly strict: boolean;
  readonly warnings: readonly ProviderWarning[];
}

/** Chooses between strict mode and the wire's loose dialect: strict only where the tool asks for it and nothing is lost. @internal */
export function chooseSchema(tool: Tool, dialect: Dialect, strict: Dialect | undefined): ChosenSchema {
  const warnings: ProviderWarning[] = [];
  if (tool.strict === true) {
    const held = strict === undefined ? undefined : toolDialect(tool, strict);
    if (held !== undefined && held.losses.length === 0) return { ...held, strict: true, warnings };
    const loss = held?.losses[0];
    const why = loss === undefined ? 'this wire has none' : `${loss.keyword} ${loss.message}`;
    warnings.push({ message: `sent without strict mode: ${why}`, tool: tool.name, path: loss?.path ?? '' });
  }
  const loose = toolDialect(tool, dialect);
  return { ...loose, strict: false, warnings: [...warnings, ...loose.losses.map((loss) => toWarning(tool, loss))] };
}

/** Says before the first request what a wire will not carry of these tools: each loss, and each downgrade from strict mode. */
export function lintTools(tools: readonly Tool[], dialect: Dialect): readonly ProviderWarning[] {
  const isStrict = dialect === 'openai-strict';
  return tools.flatMap((tool) => {
    if (isStrict) return chooseSchema({ ...tool, strict: true }, 'openai', dialect).warnings;
    return chooseSchema(tool, dialect, dialect === 'openai' || dialect === 'mistral' ? 'openai-strict' : undefined)
      .warnings;
  });
}

function toWarning(tool: Tool, { keyword, message, path }: DialectLoss): ProviderWarning {
  return { message: `${keyword} ${message}`, tool: tool.name, path };
}
