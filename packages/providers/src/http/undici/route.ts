import type { Dispatcher, buildConnector } from 'undici';
import type { TransportOptions } from '../transport.ts';
import { environmentProxy } from './environment-proxy.ts';
import { type Attempt, openTunnel, parseProxy, type Proxy, proxyCertificates, proxyServerName } from './proxy.ts';

/** How connections reach an origin. */
export interface Route {
  /** The origin that the client is made for: that of the server, or of a proxy that passes requests on. */
  readonly clientOrigin: string;
  /** Opens a connection; calls back once. */
  connect(target: buildConnector.Options, callback: buildConnector.Callback): Attempt;
  /** The request as the other end of the connection expects it. */
  toRequest(request: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions;
}

type RouteOptions = Omit<TransportOptions, 'connections' | 'fetch'>;

/** Chooses the route: a Unix socket, a proxy of the config or of the environment, or none of them. */
export function chooseRoute(connector: typeof buildConnector, options: RouteOptions): Route {
  const { connectMs, onSecret, origin, provider, proxy: configured, socketPath, tls } = options;
  const path = socketPath === undefined ? {} : { socketPath };
  const socketsWith = (settings: object | undefined): Route['connect'] => {
    const open = connector({ ...settings, ...path, timeout: connectMs, allowH2: false });
    // undici's connector returns its socket, although its type does not say so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (target, callback) => open(target, callback) as unknown as Attempt;
  };
  const toSocket = socketsWith(tls);
  const direct: Route = { clientOrigin: origin, connect: toSocket, toRequest: (request) => request };
  if (socketPath !== undefined || configured === false) return direct;
  const url = configured ?? environmentProxy(origin, process.env);
  if (url === undefined) return direct;
  const proxy = parseProxy(provider, url, onSecret);
  if (origin.startsWith('http:')) return forwardRoute(origin, proxy, socketsWith(proxyCertificates(tls)));
  return {
    ...direct,
    connect(target, callback) {
      const host = new URL(origin);
      const address = `${host.hostname}:${host.port === '' ? 443 : host.port}`;
      let attempt = openTunnel({ provider, proxy, target: address, tls, connectMs }, (error, socket) => {
        if (socket === undefined) callback(error ?? new Error('The proxy gave no connection.'), null);
        else attempt = toSocket({ ...target, httpSocket: socket }, callback);
      });
      return { destroy: (error) => attempt.destroy(error) };
    },
  };
}

/** Plain HTTP is passed on by the proxy, which reads the whole address from the request. */
function forwardRoute(origin: string, proxy: Proxy, toSocket: Route['connect']): Route {
  const { host } = new URL(origin);
  const servername = proxyServerName(proxy);
  return {
    clientOrigin: proxy.origin,
    connect: (target, callback) => toSocket({ ...target, servername }, callback),
    toRequest: (request) => ({
      ...request,
      path: origin + request.path,
      // A `Host` of the config comes later, and wins.
      headers: { host, ...ownHeaders(request), ...proxy.headers },
    }),
  };
}

/** Those that our client sends: an object of texts. */
function ownHeaders({ headers }: Dispatcher.DispatchOptions): Readonly<Record<string, string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `TransportRequest` says so
  return headers as Readonly<Record<string, string>>;
}
