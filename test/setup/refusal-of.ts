import { KernelError } from '../../packages/protocol/src/index.ts';

/** What a `CONFIG_INVALID` says. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
}

/** The `CONFIG_INVALID` that work throws or rejects with; fails if there is none, or another error. */
export async function refusalOf(work: () => unknown): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    if (KernelError.is(error, 'CONFIG_INVALID')) return { message: error.message, hint: error.hint ?? '' };
    throw error;
  }
  throw new Error('Nothing was thrown.');
}
