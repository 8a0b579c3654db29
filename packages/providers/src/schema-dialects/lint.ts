import type { ProviderWarning, Tool } from '@kernel/protocol';
import { checkDialect, type Dialect } from './dialects.ts';
import type { DialectLoss } from './rewrite-context.ts';
import { type DialectSchema, toolDialect } from './to-dialect.ts';

export interface ChosenSchema extends DialectSchema {
  readonly strict: boolean;
  readonly warnings: readonly ProviderWarning[];
}

/** Strict only if the tool asks for it and nothing is lost. */
export function chooseSchema(tool: Tool, dialect: Dialect, strict: Dialect | undefined): ChosenSchema {
  const warnings: ProviderWarning[] = [];
  if (tool.strict === true) {
    const enforced = strict === undefined ? undefined : toolDialect(tool, strict);
    if (enforced !== undefined && enforced.losses.length === 0) return { ...enforced, strict: true, warnings };
    const loss = enforced?.losses[0];
    const why = loss === undefined ? 'this API does not have it' : `${loss.keyword} ${loss.message}`;
    warnings.push({ message: `sent without strict mode: ${why}`, tool: tool.name, path: loss?.path ?? '' });
  }
  const loose = toolDialect(tool, dialect);
  return { ...loose, strict: false, warnings: [...warnings, ...loose.losses.map((loss) => toWarning(tool, loss))] };
}

/** Lists, before the first request, what a vendor cannot express of these tools: each loss, and each downgrade from strict mode. */
export function lintTools(tools: readonly Tool[], dialect: Dialect): readonly ProviderWarning[] {
  checkDialect('lintTools', dialect);
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
