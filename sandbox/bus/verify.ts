import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Gives the `webhook-id` of a genuine request; null for any other. */
export type Verifier = (headers: IncomingHttpHeaders, body: Uint8Array) => string | null

/** How far the sender's clock may be from ours, in seconds: what is older was recorded and is sent again. */
const TOLERANCE = 5 * 60

/**
 * Verifies requests as the text of Standard Webhooks says ("Verifying webhook authenticity"): HMAC-SHA256 over
 * `id.timestamp.payload`, in one of the `v1,` signatures of the header. Throws where the secret is not `whsec_` and the
 * base64 of at least 24 bytes.
 */
export function createVerifier(secret: string, now: () => number = Date.now): Verifier {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (!secret.startsWith('whsec_') || key.length < 24) throw new Error('The secret must be whsec_ and base64.')

  return (headers, body) => {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers
    if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof given !== 'string') return null
    if (id === '' || !/^\d{1,12}$/.test(timestamp)) return null
    if (Math.abs(now() / 1000 - Number(timestamp)) > TOLERANCE) return null
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
    return given.split(' ').some((one) => isSignature(one, expected)) ? id : null
  }
}

/** Other versions of the scheme (`v1a`) may stand beside `v1`; they are not for a shared secret. */
function isSignature(text: string, expected: Buffer): boolean {
  const [version, encoded = ''] = text.split(',')
  const found = Buffer.from(encoded, 'base64')
  return version === 'v1' && found.length === expected.length && timingSafeEqual(found, expected)
}
