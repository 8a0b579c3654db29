import { checkChoice, type JsonSchema } from '@kernel/protocol';
import type { Budget } from './budget.ts';

/** A vendor's subset of JSON Schema. `openai-strict` and `anthropic-output` are those that the vendor enforces. */
export type Dialect = 'openai' | 'openai-strict' | 'anthropic' | 'anthropic-output' | 'gemini' | 'mistral' | 'ollama';

export interface DialectRules {
  readonly label: string;
  /** `all` leaves everything below the root unchanged. */
  readonly keywords: 'all' | ReadonlySet<string>;
  /** If absent, every format is accepted, provided that the keyword `format` is. */
  readonly formats?: ReadonlySet<string>;
  readonly inlineRefs: boolean;
  readonly constAsEnum: boolean;
  /** A list of types other than one type and `null` is written as `anyOf`. */
  readonly splitTypes: boolean;
  /** Enums may contain only text and numbers. */
  readonly plainEnums: boolean;
  /** Whether objects must have `additionalProperties: false`. */
  readonly closed: boolean;
  /** An optional property accepts null instead, which is turned back into absent. */
  readonly allRequired: boolean;
  readonly additional: boolean;
}

const LOOSE: Omit<DialectRules, 'label'> = {
  keywords: 'all',
  inlineRefs: false,
  constAsEnum: false,
  splitTypes: false,
  plainEnums: false,
  closed: false,
  allRequired: false,
  additional: true,
};

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const TEXT_FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/** The rules are those of the vendors' documentation. */
export const DIALECTS: Readonly<Record<Dialect, DialectRules>> = {
  openai: { ...LOOSE, label: 'OpenAI' },
  'openai-strict': {
    ...LOOSE,
    label: "OpenAI's strict mode",
    keywords: new Set([...NUMBERS, 'pattern', 'format', 'minItems', 'maxItems']),
    formats: new Set(TEXT_FORMATS),
    closed: true,
    allRequired: true,
  },
  anthropic: { ...LOOSE, label: 'Anthropic' },
  'anthropic-output': {
    ...LOOSE,
    label: "Anthropic's structured output",
    keywords: new Set(['format']),
    formats: new Set([...TEXT_FORMATS, 'uri']),
    inlineRefs: true,
    closed: true,
  },
  gemini: {
    ...LOOSE,
    label: 'Gemini',
    keywords: new Set(['format', 'minItems', 'maxItems', 'minimum', 'maximum']),
    inlineRefs: true,
    constAsEnum: true,
    splitTypes: true,
    plainEnums: true,
  },
  mistral: { ...LOOSE, label: 'Mistral', inlineRefs: true },
  ollama: {
    ...LOOSE,
    label: 'Ollama',
    keywords: new Set(),
    inlineRefs: true,
    constAsEnum: true,
    additional: false,
  },
};

export function checkDialect(owner: string, dialect: Dialect): void {
  if (!Object.hasOwn(DIALECTS, dialect ?? ''))
    checkChoice(owner, 'the dialect', dialect ?? null, Object.keys(DIALECTS));
}

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
  /** The references that led here: one that occurs again is recursive. */
  readonly activeRefs: readonly string[];
}
