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
 * Returns the URL for a value of `OLLAMA_HOST`: `host`, `host:port`, `:port` or a URL. The default port is 11434, or that of the scheme if there is one.
 * A wildcard address (`0.0.0.0`, `::`) becomes 127.0.0.1. @internal
 */
export function ollamaAddress(value: string): string {
  const hasScheme = value.includes('://');
  const text = hasScheme ? value : `http://${/^:\d/.test(value) ? `127.0.0.1${value}` : bracketed(value)}`;
  const url = URL.parse(text);
  // The check of baseUrl throws for anything else.
  if (url === null) return value;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (!hasScheme && url.port === '' && !/:80\/?$/.test(value)) url.port = '11434';
  return url.href.replace(/\/$/, '');
}

/** Puts brackets around an IPv6 address, which is written without them if no port follows. */
function bracketed(value: string): string {
  return /^[0-9a-f:]+$/i.test(value) && value.split(':').length > 2 ? `[${value}]` : value;
}
