import { BlockList, isIP } from 'node:net';

// Two lists: a list with both kinds would take an IPv4 address for its form in IPv6.
const PRIVATE_4 = new BlockList();
const PRIVATE_6 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE_4.addSubnet(network, prefix, 'ipv4');
}
// Of IPv6 only global unicast is public; inside of it, what carries an IPv4 address or is not for the internet is refused.
for (const [network, prefix] of [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['4000::', 2],
  ['8000::', 1],
] as const) {
  PRIVATE_6.addSubnet(network, prefix, 'ipv6');
}

/** Says whether an IP address is not one of the public internet: loopback, private, link-local, reserved, or an IPv4 one in disguise. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return family === 4 ? PRIVATE_4.check(address, 'ipv4') : PRIVATE_6.check(address, 'ipv6');
}
