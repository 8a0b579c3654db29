import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/**
 * Where a vendor's JSON may be spelled: the folder of its wire, the formats of calls written as text, the servers that speak the wires
 * in tests, the reader of the upstream's config file, the names of OpenTelemetry's
 * conventions, and what the Agent Client Protocol shows of calls.
 */
const ALLOWED = [
  /^packages\/providers\/src\/(?:openai|responses|anthropic|gemini|ollama|bedrock|text-tools\/formats)\//,
  /^packages\/testing\/src\/wire-server\/wires\//,
  /^packages\/acp\/src\//,
  /^packages\/agent\/src\/config\//,
  /^packages\/agent\/src\/wrappers\/otel\.ts$/,
  /^apps\/prompt-agent\/src\/acp\//,
];

const VENDOR_FIELD =
  /\b(?:tool_calls?|tool_call_id|tool_use(?:_id)?|tool_result|function_call(?:_output)?|finish_reason|stop_reason|done_reason|max_tokens|max_completion_tokens|max_output_tokens|top_p|image_url|input_schema|is_error|prompt_tokens|completion_tokens|input_tokens|output_tokens|system_prompt|base_url|usage_hint|tool_choice|response_format|functionCall|functionResponse|functionDeclarations|toolUse|toolResult(?=['"]?:))\b/;

/** Vendor names: only the folder of a wire knows the field names of its vendor. */
export const vendorNames: Rule = (root) =>
  sourceFiles(root)
    .filter((file) => !ALLOWED.some((pattern) => pattern.test(file)))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index): readonly Problem[] => {
          const field = VENDOR_FIELD.exec(line.replace(/\/\/.*$|^\s*\/?\*.*$/, ''))?.[0];
          if (field === undefined) return [];
          const message = `"${field}" belongs to a vendor's API: only the folder of its wire may know it.`;
          return [{ rule: 'vendor-names', file, line: index + 1, message }];
        }),
    );
