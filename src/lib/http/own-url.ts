import { isIPv6 } from 'node:net'

/** What listens everywhere is asked there. Where IPv6 is switched off, "::" listens for IPv4 all the same. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }

/** Where a server of this machine is asked that listens on a host and port. It has no slash at its end. */
export function ownUrl({ host, port }: { host: string; port: number }): string {
  const name = ANY[host] ?? host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}
