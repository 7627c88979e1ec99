import { createPrivateKey, sign, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Certificate, Statement } from './certificate.ts'
import { type KeptSigningKey, readPublicKey } from './signing-key.ts'

/** Signs a statement; the key's public half goes with it. */
export function signed(statement: Statement, { id, publicKey, privateKey }: KeptSigningKey): Certificate {
  const unsigned = { ...statement, key: { id, publicKey } }
  const secret = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), type: 'pkcs8', format: 'der' })
  return { ...unsigned, signature: sign(null, bytesOf(unsigned), secret).toString('base64') }
}

/** Whether a certificate is as it was when its own key signed it. */
export function isAsSigned({ signature, ...unsigned }: Certificate): boolean {
  try {
    const bytes = Buffer.from(signature, 'base64')
    // Base64 is read leniently: two texts may mean one signature, and only one of them was written.
    if (bytes.toString('base64') !== signature) return false
    return verify(null, bytesOf(unsigned), readPublicKey(unsigned.key.publicKey), bytes)
  } catch {
    // What is no key has signed nothing.
    return false
  }
}

function bytesOf(value: object): Buffer {
  return Buffer.from(canonicalize(value) ?? '')
}
