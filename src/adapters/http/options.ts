import { z } from 'zod'
import { isLinkLocal } from '../../lib/http-addresses.ts'
import { secret } from '../../lib/secret.ts'
import { parseSigningKey } from './signature.ts'

const signingSecret = z
  .string()
  .refine((text) => parseSigningKey(text) !== null, 'Must be whsec_ and the base64 of 24 to 64 bytes.')

/** Headers that the adapter or the connection sets: an operator's own would break the signature or the request. */
const RESERVED =
  /^(webhook-.*|tillbridge-.*|content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i

const headers = z
  .record(z.string(), secret(z.string().regex(/^[\t\x20-\x7e]*$/, 'Must be printable ASCII, without line breaks.')))
  .superRefine((given, context) => {
    const seen = new Set<string>()
    for (const name of Object.keys(given)) {
      const message = headerFault(name, seen)
      if (message) context.addIssue({ code: 'custom', path: [name], message })
      seen.add(name.toLowerCase())
    }
  })

/** What an operator writes under a destination with `adapter: http`. */
export const HttpOptions = z.strictObject({
  url: z
    .string()
    .superRefine((text, context) => {
      const message = urlFault(text)
      if (message) context.addIssue({ code: 'custom', message })
    })
    .describe('Where each event is posted: http or https. A token may be in its query; it is never logged.'),
  secret: secret(
    z
      .union([signingSecret, z.array(signingSecret).min(1).max(3)])
      .optional()
      .describe('Signs each request (Standard Webhooks): whsec_…, or a list of up to three while a secret is rotated.'),
  ),
  headers: headers
    .optional()
    .describe('Headers of your own, such as authorization. They replace content-type and user-agent, but no other.'),
})

function urlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'Must be an http or https URL.'
  if (url.username || url.password) return 'Must not have a user or a password: give an authorization header instead.'
  if (url.hash) return 'Must not have a fragment (#…): it is never sent.'
  return isLinkLocal(url.hostname) ? 'Must not be a link-local address.' : null
}

function headerFault(name: string, seen: Set<string>): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)) return 'Is not a header name.'
  if (RESERVED.test(name)) return 'Is set by Tillbridge and cannot be changed.'
  return seen.has(name.toLowerCase()) ? 'Is given twice.' : null
}
