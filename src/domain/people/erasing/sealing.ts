import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

/** What is sealed, and the key in hex, without which nobody reads it any more. */
export interface Sealed {
  key: string
  sealed: string
}

/** Seals a value under a key of its own. */
export function seal(value: unknown): Sealed {
  const [key, nonce] = [randomBytes(32), randomBytes(NONCE)]
  const cipher = createCipheriv(CIPHER, key, nonce)
  const bytes = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), bytes])
  return { key: key.toString('hex'), sealed: sealed.toString('base64url') }
}

/** What was sealed with that key. Throws where it is another key's. */
export function unseal({ key, sealed }: Sealed): unknown {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'hex'), bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
  return JSON.parse(text.toString())
}
