import { type LookupAddress, type LookupAllOptions, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/**
 * Link-local addresses carry cloud metadata and credentials: never connected to. Loopback and private ranges are allowed: the retailer's
 * bus is there.
 */
const linkLocal = new BlockList()
linkLocal.addSubnet('169.254.0.0', 16) // also matches its IPv4-mapped form ::ffff:169.254.0.0/112
linkLocal.addSubnet('fe80::', 10, 'ipv6')
linkLocal.addSubnet('::169.254.0.0', 112, 'ipv6') // IPv4-compatible
linkLocal.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6') // through NAT64

/** Host names are not link-local. */
export function isLinkLocal(host: string): boolean {
  const [address = ''] = host.replace(/^\[|\]$/g, '').split('%', 1)
  const family = isIP(address)
  return family !== 0 && linkLocal.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

export class LinkLocalError extends Error {
  override name = 'LinkLocalError'
  readonly code = 'LINK_LOCAL'

  constructor(host: string) {
    super(`${host} is a link-local address; the hub sends nothing there`)
  }
}

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/** DNS lookup without link-local addresses, per connection: rebinding a name after the check gains nothing. */
export function createLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname: string, options: LookupOptions, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const usable = found.filter(({ address }) => !isLinkLocal(address))
      const [first] = usable
      if (!first) return callback(new LinkLocalError(hostname), '', 0)
      if (options.all) callback(null, usable)
      else callback(null, first.address, first.family)
    })
  }
}
