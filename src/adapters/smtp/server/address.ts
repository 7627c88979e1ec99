import { domainToASCII } from 'node:url'

/** An address that mail can be sent to, with the name to show beside it. */
export interface MailAddress {
  name: string
  address: string
}

/** Nothing that could begin another header, another command or another recipient. */
const ADDRESS = /^[^\s\p{Cc}<>,;:@"()[\]\\]+@[^\s\p{Cc}<>,;:@"()[\]\\]+$/u

/** More than a family has is no recipient of a receipt. */
const MOST_RECIPIENTS = 5

/** An address has at most 254 characters (RFC 5321), and nobody's name is longer. */
const LONGEST = 1_000

function isAddress(text: string): boolean {
  // The domain may be written in any script (`blåbær.no`); it must have a form that the network knows.
  const domain = text.slice(text.lastIndexOf('@') + 1)
  return text.length <= 254 && ADDRESS.test(text) && domainToASCII(domain) !== ''
}

/** Reads `Shop <no-reply@example.com>` or a bare address; null where it is neither. */
export function readMailAddress(text: string): MailAddress | null {
  const whole = text.trim()
  if (whole.length > LONGEST) return null
  const [, quoted, plain, angled] = /^(?:"([^"\p{Cc}]*)"\s*|([^"<>\p{Cc}]*))<([^<>]*)>$/u.exec(whole) ?? []
  const address = angled ?? whole
  return isAddress(address) ? { name: quoted ?? plain?.trim() ?? '', address } : null
}

/**
 * Reads what the till has as the recipient: one address, bare or as `Kari <kari@example.com>`, or a few of them between commas
 * or semicolons. `name` is shown beside the only one that has none itself. Null where any of it is no address.
 */
export function readRecipients(text: string, name: string | null): MailAddress[] | null {
  const whole = readMailAddress(text)
  const pieces = whole && !whole.name.includes('@') ? [text] : text.split(/[,;]/).filter((piece) => piece.trim() !== '')
  const read = pieces.map(readMailAddress)
  const all = read.filter((one) => one !== null)
  if (all.length === 0 || all.length < read.length || all.length > MOST_RECIPIENTS) return null
  const [only] = all
  return all.length === 1 && only ? [{ ...only, name: only.name || (name ?? '') }] : unique(all)
}

function unique(addresses: MailAddress[]): MailAddress[] {
  return [...new Map(addresses.map((one) => [one.address.toLowerCase(), one])).values()]
}
