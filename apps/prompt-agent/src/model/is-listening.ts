import { connect } from 'node:net';

/** Whether a server accepts connections at the host and port of an address; false as soon as the signal aborts. Sends nothing. */
export function isListening({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      signal,
    });
    socket.on('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
}
