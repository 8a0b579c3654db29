/**
 * Runs before every test file, and before examples as `--import`: a connection to anything but this machine throws at once.
 * So a suite that passes has passed without a network.
 */
import { Socket } from 'node:net';

const LOCAL = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const connect = Socket.prototype.connect;

function connectLocally(this: Socket, ...args: unknown[]): Socket {
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0];
  const host = typeof first === 'object' && first !== null && 'host' in first ? first.host : args[1];
  if (typeof host === 'string' && !LOCAL.test(host))
    throw new Error(`No network in tests: a connection to ${host} was refused.`);
  return Reflect.apply(connect, this, args) as Socket;
}

// A test file before this one may have run in the same process.
if (connect.name !== connectLocally.name) Socket.prototype.connect = connectLocally;
