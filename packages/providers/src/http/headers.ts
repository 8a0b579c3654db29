/** Response headers by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Whether a header of this name holds a credential. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}
