import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto'
import type { Instant } from '../../values/instant.ts'

/** A key that certificates are signed with (Ed25519), as people see it. */
export interface SigningKey {
  /** The beginning of the SHA-256 of the public key, in hex. */
  id: string
  /** SPKI, base64. */
  publicKey: string
  createdAt: Instant
  createdBy: string
  /** Since when another one signs; null: this one does. What it signed before stays good. */
  retiredAt: Instant | null
}

/** A key with its secret; for signing alone, never for an answer or a log. */
export interface KeptSigningKey extends SigningKey {
  /** PKCS #8, base64. */
  privateKey: string
}

/** Makes a new one. */
export function newSigningKey(createdAt: Instant, createdBy: string): KeptSigningKey {
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  return { id: keyIdOf(publicKey), publicKey, privateKey, createdAt, createdBy, retiredAt: null }
}

/** The id of a public key. */
export function keyIdOf(publicKey: string): string {
  return hash('sha256', Buffer.from(publicKey, 'base64')).slice(0, 16)
}

/** Reads a public key. Throws where it is none. */
export function readPublicKey(publicKey: string) {
  return createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' })
}
