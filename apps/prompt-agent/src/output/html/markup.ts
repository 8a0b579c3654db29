import { terminalText, visible } from '@kernel/internal';

export interface Markup {
  readonly markup: string;
}

/** What a template takes: text, which is escaped, or markup, or several of them. */
export type Content = string | number | Markup | readonly Content[];

/** Makes markup of a template. Every value that is not markup itself is escaped, for text and for attributes between double quotes. */
export function html(literals: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return { markup: literals.reduce((whole, literal, index) => whole + toMarkup(values[index - 1] ?? '') + literal) };
}

export const NOTHING: Markup = { markup: '' };

/** Text of calls, results and changes: every character visible, but for tabs. */
export function exactText(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\t').map(visible).join('\t');
}

function toMarkup(value: Content): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return 'markup' in value ? value.markup : value.map(toMarkup).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return terminalText(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
