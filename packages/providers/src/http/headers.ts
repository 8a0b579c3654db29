/** Response headers by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The `user-agent` of a provider whose config names none. */
export const DEFAULT_USER_AGENT = 'kernel-providers';

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Whether a header of this name holds a credential. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}
