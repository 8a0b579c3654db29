/** Replaces a secret in a stream of text, also where it is cut into pieces. */
export interface Redactor {
  push(text: string): string;
  /** Returns what was held back. */
  end(): string;
}

/** Makes a redactor. Of each piece it holds back only an end that could be the start of the secret. */
export function createRedactor(secret: string | undefined): Redactor {
  if (secret === undefined || secret.length < 4) return { push: (text) => text, end: () => '' };
  let held = '';
  return {
    push(text) {
      const clean = (held + text).replaceAll(secret, '***');
      let keep = Math.min(secret.length - 1, clean.length);
      while (keep > 0 && !secret.startsWith(clean.slice(clean.length - keep))) keep -= 1;
      held = clean.slice(clean.length - keep);
      return clean.slice(0, clean.length - keep);
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}
