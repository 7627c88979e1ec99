import { type LookupAddress, type LookupAllOptions, type LookupOptions, lookup } from 'node:dns'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import { createAddressList } from './address-list.ts'

/** `never`: link-local, cloud metadata, multicast and reserved addresses. */
export type AddressRange = 'public' | 'loopback' | 'private' | 'never'

/** IANA special-purpose registries (RFC 6890), and metadata services that are not link-local. */
const RANGES = {
  never: `169.254.0.0/16 224.0.0.0/4 240.0.0.0/4 fe80::/10 ff00::/8
    100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 fd00:ec2::254/128 fd20:ce::254/128`,
  // ::1 and :: are IPv4-compatible forms of 0.0.0.0/8; the system connects 0.0.0.0 to itself.
  loopback: '127.0.0.0/8 0.0.0.0/8',
  private: `10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15
    198.51.100.0/24 203.0.113.0/24 2001::/23 2001:db8::/32 3fff::/20`,
}

/** Global unicast, IPv4-mapped, NAT64; any other IPv6 address is private. */
const isGlobal = createAddressList(['2000::/3', '::ffff:0:0/96', '64:ff9b::/96'])

/** IPv4-compatible, IPv4-translated, NAT64, local NAT64. BlockList knows IPv4-mapped itself, and 6to4 is in `formsOf`. */
const EMBEDDING = ['::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']

const LISTS = (['never', 'loopback', 'private'] as const).map((range) => {
  return { range, isIn: createAddressList(RANGES[range].split(/\s+/).flatMap(formsOf)) }
})

/** Of an IPv4 range also those of IPv6 that lead to it. */
function formsOf(range: string): string[] {
  const [base = '', bits] = range.split('/')
  if (!isIPv4(base)) return [range]
  const hex = Buffer.from(base.split('.').map(Number)).toString('hex')
  const of6to4 = `2002:${hex.slice(0, 4)}:${hex.slice(4)}::/${16 + Number(bits)}`
  return [range, of6to4, ...EMBEDDING.map((prefix) => `${prefix}${base}/${96 + Number(bits)}`)]
}

/** Of an IP address, also in brackets or with a zone; null: a name. */
export function rangeOf(host: string): AddressRange | null {
  const [address = ''] = host.replace(/^\[|\]$/g, '').split('%', 1)
  const family = isIP(address)
  if (family === 0) return null
  const special = LISTS.find(({ isIn }) => isIn(address))?.range
  return special ?? (family === 4 || isGlobal(address) ? 'public' : 'private')
}

/** Of a host in config. An address that stands there is meant, unless nothing may ever be sent to it. */
export function literalFault(host: string): string | null {
  return rangeOf(host) === 'never' ? 'Must not be a link-local, metadata, multicast or reserved address.' : null
}

const LOCALHOST = /^(.+\.)?localhost\.?$/i

/** Whether a name may lead there. `localhost` may lead to loopback (RFC 6761). */
export function mayCall(name: string, address: string, allowPrivate: boolean): boolean {
  const range = rangeOf(address)
  if (range === 'public') return true
  if (range === 'loopback' && LOCALHOST.test(name)) return true
  return allowPrivate && range !== 'never' && range !== null
}

/** Whether an answer may name this host: one that is no name is held to the rules of what names lead to. */
export function mayName(host: string, { allowPrivate = false }: Reach): boolean {
  if (LOCALHOST.test(host)) return allowPrivate
  return rangeOf(host) === null || mayCall('', host, allowPrivate)
}

export const ADDRESS_REFUSED = 'ADDRESS_REFUSED'

export class AddressError extends Error {
  override name = 'AddressError'
  readonly code = ADDRESS_REFUSED

  constructor(host: string, address = host) {
    const what = host === address ? `${host} is` : `${host} leads to ${address},`
    const remedy = 'if it is meant, set allowPrivate: true for it in config'
    super(
      rangeOf(address) === 'never'
        ? `${what} a link-local, metadata, multicast or reserved address; the hub sends nothing there`
        : `${what} a private address; ${remedy}`,
    )
  }
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

export interface Reach {
  /** Names may lead to private and loopback addresses. */
  allowPrivate?: boolean | undefined
  resolve?: Resolve | undefined
}

/** For sockets, which connect to what was checked: binding the name again between check and connection gains nothing. */
export function createLookup({ allowPrivate = false, resolve = lookup }: Reach = {}): LookupFunction {
  return (hostname: string, options: LookupOptions, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const usable = found.filter(({ address }) => mayCall(hostname, address, allowPrivate))
      const [first] = usable
      if (!first) return callback(new AddressError(hostname, found[0]?.address), '', 0)
      if (options.all) callback(null, usable)
      else callback(null, first.address, first.family)
    })
  }
}
