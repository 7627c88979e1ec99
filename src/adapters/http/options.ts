import { z } from 'zod'
import { checkedText } from '../../lib/checked-text.ts'
import { secret } from '../../lib/secret.ts'
import { addressFault, ownHeaders } from '../shared/http-options.ts'
import { parseSigningKey } from './signature.ts'

const signingSecret = z
  .string()
  .refine((text) => parseSigningKey(text) !== null, 'Must be whsec_ and the base64 of 24 to 64 bytes.')

/** Headers that the adapter or the connection sets: an operator's own would break the signature or the request. */
const RESERVED =
  /^(webhook-.*|tillbridge-.*|content-length|host|transfer-encoding|connection|keep-alive|upgrade|expect)$/i

/** Options that an operator writes under a destination with `adapter: http`. */
export const HttpOptions = z.strictObject({
  url: checkedText(addressFault).describe(
    'Where each event is posted: http or https. A token may be in its query; it is never logged.',
  ),
  secret: secret(
    z
      .union([signingSecret, z.array(signingSecret).min(1).max(3)])
      .optional()
      .describe('Signs each request (Standard Webhooks): whsec_…, or a list of up to three while a secret is rotated.'),
  ),
  headers: ownHeaders(RESERVED)
    .optional()
    .describe('Headers of your own, such as authorization. They replace content-type and user-agent, but no other.'),
})
