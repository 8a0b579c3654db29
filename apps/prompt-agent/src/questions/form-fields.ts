import { isObject, visible } from '@kernel/internal';

export type FieldValue = string | number | boolean | readonly string[];

type JsonField = Readonly<Record<string, unknown>>;

/** A field of a form that an MCP server asks to be filled in, as it is shown; all texts are escaped. */
export interface FormField {
  readonly name: string;
  /** What it is about, and the form of its value. */
  readonly about: string;
  /** What it becomes if it is left out; undefined if it must be filled in. */
  readonly otherwise: string | undefined;
  /** Reads what was typed; undefined for what does not fit. */
  readonly read: (text: string) => FieldValue | undefined;
}

/** The fields of a form, in the order of its schema. */
export function fieldsOf(schema: unknown): readonly FormField[] {
  const { properties, required } = isObject(schema) ? schema : {};
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, value]) => {
    const field = isObject(value) ? value : {};
    const choices = choicesOf(field);
    const title = typeof field['title'] === 'string' ? field['title'] : name;
    const about = typeof field['description'] === 'string' ? `: ${field['description']}` : '';
    const form = choices.length > 0 ? choices.map(({ label }) => label).join(', ') : FORMS[String(field['type'])];
    const hasDefault = field['default'] !== undefined;
    return {
      name,
      about: visible(`${title}${about}${form === undefined ? '' : ` (${form})`}`),
      otherwise: hasDefault
        ? visible(JSON.stringify(field['default']))
        : names.includes(name)
          ? undefined
          : 'leave out',
      read: (text) => (text === '' ? undefined : readValue(text, field, choices)),
    };
  });
}

const FORMS: Readonly<Record<string, string>> = {
  boolean: 'yes or no',
  integer: 'a whole number',
  number: 'a number',
};

interface Choice {
  readonly value: string;
  /** How it is shown; both can be typed. */
  readonly label: string;
}

function choicesOf(field: JsonField): readonly Choice[] {
  const holder = isObject(field['items']) ? field['items'] : field;
  const titled = [holder['oneOf'], holder['anyOf']].find(Array.isArray) ?? [];
  const fromTitled = titled.flatMap((each: unknown) =>
    isObject(each) && typeof each['const'] === 'string'
      ? [{ value: each['const'], label: typeof each['title'] === 'string' ? each['title'] : each['const'] }]
      : [],
  );
  const plain: readonly unknown[] = Array.isArray(holder['enum']) ? holder['enum'] : [];
  return [...fromTitled, ...plain.flatMap((value) => (typeof value === 'string' ? [{ value, label: value }] : []))];
}

function readValue(text: string, field: JsonField, choices: readonly Choice[]): FieldValue | undefined {
  const choose = (typed: string): string | undefined =>
    choices.find(({ value, label }) => [value, label].some((each) => each.toLowerCase() === typed.toLowerCase()))
      ?.value;
  switch (field['type']) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
    case 'integer':
      return /^[-+]?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'array': {
      const values = text.split(',').map((part) => choose(part.trim()));
      return values.every((value) => value !== undefined) ? values : undefined;
    }
    default:
      return choices.length === 0 ? text : choose(text);
  }
}
