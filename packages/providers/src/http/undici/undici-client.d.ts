/** The files of undici that a request needs; the package's root loads its fetch, mocks and caches too. */
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';
  const client: typeof Client;
  export default client;
}
declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici';
  const connect: typeof buildConnector;
  export default connect;
}
