/** The one file of undici that a request needs; the package's root loads its fetch, mocks and caches too. */
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';
  const pool: typeof Pool;
  export default pool;
}
declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici';
  const connect: typeof buildConnector;
  export default connect;
}
