/** An address that mail can be sent to, with the name to show beside it. */
export interface MailAddress {
  name: string
  address: string
}

/** Nothing that could begin another header, another command or another recipient. */
const ADDRESS = /^[^\s\p{Cc}<>,;:@"()[\]\\]+@[^\s\p{Cc}<>,;:@"()[\]\\]+$/u

export function isAddress(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text)
}

/** Reads `Shop <no-reply@example.com>` or a bare address; null where it is neither. */
export function readMailAddress(text: string): MailAddress | null {
  const [, quoted, plain, angled] = /^\s*(?:"([^"\p{Cc}]*)"|([^"<>\p{Cc}]*?))\s*<([^<>]*)>\s*$/u.exec(text) ?? []
  const address = angled ?? text.trim()
  return isAddress(address) ? { name: quoted ?? plain ?? '', address } : null
}
