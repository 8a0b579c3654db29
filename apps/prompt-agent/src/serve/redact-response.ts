import { createRedactor } from '@kernel/internal';

/** Redacts a secret, and keys of well-known vendors, in the text of a response as it is sent. Deltas that split one between them are redacted before. */
export function redactResponse(response: Response, secret: string | undefined): Response {
  const redactor = createRedactor([secret]).stream();
  const body = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(
      new TransformStream<string, string>({
        transform: (text, controller) => controller.enqueue(redactor.push(text)),
        flush: (controller) => controller.enqueue(redactor.end()),
      }),
    )
    .pipeThrough(new TextEncoderStream());
  return new Response(body ?? null, { status: response.status, headers: response.headers });
}
