/** The program as a Worker: the addresses are the body of the request, the outcome is that of the response. */
import { type Addresses, runToolLoops } from './tool-loop.ts';

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runToolLoops((await request.json()) as Addresses));
  },
};
