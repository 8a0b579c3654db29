import type { Dispatcher, buildConnector } from 'undici';
import type { TransportOptions } from '../transport.ts';
import { environmentProxy } from './environment-proxy.ts';
import {
  type ConnectAttempt,
  connectTimeoutError,
  openTunnel,
  parseProxy,
  type Proxy,
  proxyServerName,
  proxyTls,
} from './proxy.ts';

export interface Route {
  /** The origin of the server, or of a proxy that forwards requests. */
  readonly clientOrigin: string;
  /** Calls back once. */
  connect(target: buildConnector.Options, callback: buildConnector.Callback): ConnectAttempt;
  /** Writes the request as the other end of the connection expects it. */
  toRequest(request: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions;
}

type RouteOptions = Omit<TransportOptions, 'connections' | 'fetch'>;

export function chooseRoute(connector: typeof buildConnector, options: RouteOptions): Route {
  const { connectMs, onSecret, origin, provider, proxy: configured, socketPath, tls } = options;
  const path = socketPath === undefined ? {} : { socketPath };
  const connectorWith = (settings: object | undefined, timeout = connectMs): Route['connect'] => {
    const open = connector({ ...settings, ...path, timeout, allowH2: false });
    // undici's connector returns its socket, although its type does not say so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (target, callback) => open(target, callback) as unknown as ConnectAttempt;
  };
  const direct: Route = { clientOrigin: origin, connect: connectorWith(tls), toRequest: (request) => request };
  if (socketPath !== undefined || configured === false) return direct;
  const url = configured ?? environmentProxy(origin, process.env);
  if (url === undefined) return direct;
  const proxy = parseProxy(provider, url, onSecret);
  if (origin.startsWith('http:')) return forwardRoute(origin, proxy, connectorWith(proxyTls(tls)));
  const connectInTunnel = connectorWith(tls, 0);
  const { hostname, port } = new URL(origin);
  const tunnelTarget = `${hostname}:${port === '' ? 443 : port}`;
  const connectThroughTunnel: Route['connect'] = (target, callback) => {
    let attempt = openTunnel({ provider, proxy, target: tunnelTarget, tls }, (error, socket) => {
      if (socket === undefined) callback(error ?? new Error('The proxy gave no connection.'), null);
      else attempt = connectInTunnel({ ...target, httpSocket: socket }, callback);
    });
    return { destroy: (error) => attempt.destroy(error) };
  };
  return { ...direct, connect: withDeadline(connectThroughTunnel, connectMs) };
}

/** `connectMs` limits all attempts together; 0 means no limit. */
function withDeadline(connect: Route['connect'], connectMs: number): Route['connect'] {
  if (connectMs === 0) return connect;
  return (target, callback) => {
    const attempt = connect(target, (...outcome) => {
      clearTimeout(timer);
      callback(...outcome);
    });
    const timer = setTimeout(() => attempt.destroy(connectTimeoutError()), connectMs);
    return attempt;
  };
}

/** A proxy for plain HTTP forwards the request, whose path is the whole URL. */
function forwardRoute(origin: string, proxy: Proxy, connect: Route['connect']): Route {
  const { host } = new URL(origin);
  const servername = proxyServerName(proxy);
  return {
    clientOrigin: proxy.origin,
    connect: (target, callback) => connect({ ...target, servername }, callback),
    toRequest: (request) => ({
      ...request,
      path: origin + request.path,
      // A `Host` of the config overrides it.
      headers: { host, ...ownHeaders(request), ...proxy.headers },
    }),
  };
}

function ownHeaders({ headers }: Dispatcher.DispatchOptions): Readonly<Record<string, string>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of `TransportRequest`
  return headers as Readonly<Record<string, string>>;
}
