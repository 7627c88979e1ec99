import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const PREFIX = 'whsec_'

/** The key of a Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes. Null if it is none. */
export function parseSigningKey(secret: string): KeyObject | null {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  const exact = bytes.toString('base64') === encoded
  return exact && bytes.length >= 24 && bytes.length <= 64 ? createSecretKey(bytes) : null
}

/** The `webhook-signature` header: one signature for each key, so that a secret can be rotated without a gap. */
export function signatures(keys: KeyObject[], id: string, timestamp: string, body: Uint8Array): string {
  const head = `${id}.${timestamp}.`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`).join(' ')
}

const SAFE = /^[A-Za-z0-9_:~/%-]*$/

/**
 * A key or a kind as a header value: its URL-safe characters stay, the rest is percent-encoded. The full stop as well:
 * it separates what is signed, so an id must not have one.
 */
export function headerSafe(text: string): string {
  return SAFE.test(text) ? text : text.replace(/[^A-Za-z0-9_:~/%-]/gu, percentEncode)
}

function percentEncode(character: string): string {
  return Buffer.from(character).reduce(
    (text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    '',
  )
}
