import type { ClientEvent } from '@kernel/agent/web';

/** An event of a run, and the id that a client sends as `Last-Event-ID` when it comes back. */
export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly event: ClientEvent;
}

/** Reads server-sent events, as `EventSource` does in a browser. Leaving the iteration disconnects. */
export async function* readEvents(response: Response): AsyncGenerator<ReceivedEvent, void> {
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (text + piece).split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the server of this example sends
      const event = JSON.parse(data ?? 'null') as ClientEvent | null;
      if (event !== null) yield { id: /^id: (.*)$/m.exec(frame)?.[1], event };
    }
  }
}
