/** Whether a host, as in an address or with IPv6 in brackets, is this machine itself. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
