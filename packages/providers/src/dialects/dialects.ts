/** A kind of JSON Schema that a wire takes. `openai-strict` and `anthropic-output` are what the vendor holds a model to. */
export type Dialect = 'openai' | 'openai-strict' | 'anthropic' | 'anthropic-output' | 'gemini' | 'mistral' | 'ollama';

/** What a dialect takes, as data. @internal */
export interface DialectRules {
  /** The vendor's name in messages. */
  readonly label: string;
  /** The constraint keywords that may stand; `all` leaves everything below the root as it is. */
  readonly keywords: 'all' | ReadonlySet<string>;
  /** The formats of text that may stand. Absent: all, where `format` may stand at all. */
  readonly formats?: ReadonlySet<string>;
  /** `$ref` is replaced by what it points to, and recursion is cut. */
  readonly inlineRefs: boolean;
  /** `const` is written as `enum`. */
  readonly constAsEnum: boolean;
  /** A list of types other than one type and `null` is written as `anyOf`. */
  readonly splitTypes: boolean;
  /** Enums hold text and numbers alone. */
  readonly plainEnums: boolean;
  /** Every object is closed by `additionalProperties: false`. */
  readonly closed: boolean;
  /** Every property is required: what was optional takes null, which goes back to absent. */
  readonly allRequired: boolean;
  /** `additionalProperties` may stand. */
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

/** The rules of each dialect. Facts are the vendors' own lists of what their schemas may hold. @internal */
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
