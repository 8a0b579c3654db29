import { KernelError } from '@kernel/protocol';
import type { DownloadOptions } from '@kernel/toolbox/web';

/** Downloads an attachment within the limits. Rejects with `PROVIDER_NETWORK` and the reason. */
export async function downloadMedia(source: string, options: DownloadOptions): Promise<Uint8Array> {
  const { guardedGet } = await import('@kernel/toolbox/web');
  try {
    const { status, body } = await guardedGet(source, {
      ...options,
      headers: { accept: 'image/*, audio/*, application/pdf' },
    });
    if (status === 200) return body;
    throw new KernelError('TOOL_FAILED', `${JSON.stringify(source)} was not loaded: the server answered ${status}.`);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!KernelError.is(error)) throw error;
    const isPrivate = error.message.includes('not a public address');
    throw new KernelError('PROVIDER_NETWORK', `The attachment ${error.message}`, {
      ...(isPrivate ? { hint: '--allow-private-images allows it.' } : {}),
      cause: error,
    });
  }
}
