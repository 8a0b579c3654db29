import { type PromptResponse, RequestError } from '@agentclientprotocol/sdk/unstable';

interface TurnsOptions {
  /** Ends the session, and a turn with it. */
  readonly signal: AbortSignal;
  readonly onBusy: () => void;
  readonly onIdle: () => void;
}

/** Runs the turns of a session, one at a time. */
export function createTurns({ signal, onBusy, onIdle }: TurnsOptions) {
  let turn: AbortController | undefined;
  /** Throws where a turn is under way. */
  const checkIdle = (): void => {
    if (turn !== undefined)
      throw RequestError.invalidRequest(
        undefined,
        'this session is busy with a turn; wait for it to end, or cancel it',
      );
  };
  return {
    checkIdle,
    isBusy: (): boolean => turn !== undefined,
    /** Runs a turn, which the signal of its request ends as well. One that was aborted is cancelled, whatever it came to. Throws where another one is under way. */
    async run(request: AbortSignal, work: (abort: AbortSignal) => Promise<PromptResponse>): Promise<PromptResponse> {
      checkIdle();
      const own = new AbortController();
      turn = own;
      onBusy();
      const abort = AbortSignal.any([signal, request, own.signal]);
      try {
        return await work(abort);
      } catch (error) {
        if (abort.aborted) return { stopReason: 'cancelled' };
        throw error;
      } finally {
        turn = undefined;
        onIdle();
      }
    },
    cancel: (): void => turn?.abort(new Error('stopped')),
  };
}
