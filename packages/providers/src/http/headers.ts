/** By lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export const DEFAULT_USER_AGENT = 'kernel-providers';

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}
