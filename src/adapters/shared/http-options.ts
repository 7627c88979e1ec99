import { z } from 'zod'
import { literalFault } from '../../lib/http/address-guard.ts'
import { secret } from '../../lib/schema.ts'

export function addressFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'Must be an http or https URL.'
  if (url.username || url.password) return 'Must not have a user or a password: credentials have options of their own.'
  if (url.hash) return 'Must not have a fragment (#…): it is never sent.'
  return literalFault(url.hostname)
}

export const SET_BY_CONNECTION = /^(content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i

/** Names become lower case. `reserved`: those that the adapter sets, besides the connection. */
export function ownHeaders(reserved?: RegExp) {
  return z
    .record(z.string(), secret(z.string().regex(/^[\t\x20-\x7e]*$/, 'Must be printable ASCII, without line breaks.')))
    .superRefine((given, context) => {
      const seen = new Set<string>()
      for (const name of Object.keys(given)) {
        const message = headerFault(name, seen, reserved)
        if (message) context.addIssue({ code: 'custom', path: [name], message })
        seen.add(name.toLowerCase())
      }
    })
    .transform((given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])))
}

function headerFault(name: string, seen: ReadonlySet<string>, reserved?: RegExp): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)) return 'Is not a header name.'
  if (SET_BY_CONNECTION.test(name) || reserved?.test(name)) return 'Is set by Tillbridge and cannot be changed.'
  return seen.has(name.toLowerCase()) ? 'Is given twice.' : null
}
