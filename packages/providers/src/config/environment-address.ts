const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['openai', 'OPENAI_BASE_URL'],
  ['openai-responses', 'OPENAI_BASE_URL'],
  ['anthropic', 'ANTHROPIC_BASE_URL'],
  ['ollama', 'OLLAMA_HOST'],
]);

export function addressVariable(provider: string): string | undefined {
  return VARIABLES.get(provider);
}

/** `OLLAMA_HOST` is `host`, `host:port`, `:port` or a URL. The default port is 11434, or that of the scheme if there is one. */
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

/** An IPv6 address is written without brackets if no port follows. */
function bracketed(value: string): string {
  return /^[0-9a-f:]+$/i.test(value) && value.split(':').length > 2 ? `[${value}]` : value;
}
