import { BlockList, isIP } from 'node:net'

/**
 * Whether an address is in a list of addresses and ranges (`10.0.0.0/8`), also as IPv4-mapped or with a zone. Throws where an
 * entry is neither.
 */
export function createAddressList(ranges: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [base = '', bits] = range.split('/')
    const type = typeOf(base)
    if (type === null || bits === '' || base.includes('%')) throw new TypeError(`${range} is no address or range`)
    if (bits === undefined) list.addAddress(base, type)
    else list.addSubnet(base, Number(bits), type)
  }
  return (address = '') => {
    const [bare = ''] = address.split('%', 1)
    const type = typeOf(bare)
    return type !== null && list.check(bare, type)
  }
}

function typeOf(address: string): 'ipv4' | 'ipv6' | null {
  const family = isIP(address)
  return family === 0 ? null : family === 6 ? 'ipv6' : 'ipv4'
}
