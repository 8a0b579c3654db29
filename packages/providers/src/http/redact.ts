/** Knows a provider's secrets and takes them out of text. */
export interface Redactor {
  /** Adds a secret; values under 4 characters are too common to hide and are left out. */
  add(secret: string | undefined): void;
  /** Returns `text` with every known secret, as it is or as JSON, URL or base64 would write it, replaced by `[redacted]`. */
  redact(text: string): string;
}

const MARK = '[redacted]';
const MIN_LENGTH = 4;
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Creates a redactor without secrets. Nothing that came from outside joins an error before it went through one. */
export function createRedactor(): Redactor {
  const forms = new Set<string>();
  let ordered: readonly string[] = [];
  return {
    add(secret) {
      if (secret === undefined || secret.length < MIN_LENGTH || forms.has(secret)) return;
      for (const form of formsOf(secret)) if (form.length >= MIN_LENGTH) forms.add(form);
      // Longest first, so that no secret survives as the rest of a shorter one.
      ordered = [...forms].toSorted((a, b) => b.length - a.length);
    },
    redact(text) {
      let clean = text;
      for (const form of ordered) if (clean.includes(form)) clean = clean.replaceAll(form, () => MARK);
      return clean;
    },
  };
}

/** Says whether a header of this name holds a credential. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, '');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(Buffer.from(secret, 'utf8').toString('utf8')),
    base64,
  ];
}
