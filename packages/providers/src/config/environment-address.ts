const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['openai', 'OPENAI_BASE_URL'],
  ['openai-responses', 'OPENAI_BASE_URL'],
  ['anthropic', 'ANTHROPIC_BASE_URL'],
  ['ollama', 'OLLAMA_HOST'],
]);

/** The environment variable that names the address of a vendor's API, as its own clients read it. @internal */
export function addressVariable(provider: string): string | undefined {
  return VARIABLES.get(provider);
}

/**
 * The address that a value of `OLLAMA_HOST` means: `host`, `host:port`, `:port` or a URL. The port is 11434, or with a scheme that of the scheme. What a
 * server listens on everywhere (`0.0.0.0`, `::`) is this machine. @internal
 */
export function ollamaAddress(value: string): string {
  const hasScheme = value.includes('://');
  const text = hasScheme ? value : `http://${/^:\d/.test(value) ? `127.0.0.1${value}` : bracketed(value)}`;
  const url = URL.parse(text);
  // What is not an address is left to the check of baseUrl, which says so.
  if (url === null) return value;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (!hasScheme && url.port === '' && !/:80\/?$/.test(value)) url.port = '11434';
  return url.href.replace(/\/$/, '');
}

/** An IPv6 address stands without brackets where no port follows. */
function bracketed(value: string): string {
  return /^[0-9a-f:]+$/i.test(value) && value.split(':').length > 2 ? `[${value}]` : value;
}
