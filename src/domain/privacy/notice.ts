import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Identifiers, PersonalValue } from './person-nodes.ts'

export interface ErasedCustomer {
  pseudonym: string
  customerIds: string[]
  theirIds: string[]
  emails: string[]
  orders: string[]
}

export const NOTICE_KEYS = { kind: 'notice', id: 'erasure' } as const
export const PERSON_FORGOTTEN = 'PersonErased'

export interface Notice {
  person: string
  sealed: Record<string, string>
}

/** Throws for another key. */
export function openNotice(sealed: string, key: string): ErasedCustomer {
  return unseal({ sealed, key }) as ErasedCustomer
}

export function namedKey(pseudonym: string, key: string): string {
  return `${pseudonym}/${key}`
}

export function readNamedKey(text: string): { pseudonym: string; key: string } {
  const [pseudonym = '', key = ''] = text.split('/')
  return { pseudonym, key }
}

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

/** `key` (hex): destroyed, it makes the text unreadable. */
interface Sealed {
  key: string
  sealed: string
}

export function seal(value: unknown): Sealed {
  const [key, nonce] = [randomBytes(32), randomBytes(NONCE)]
  const cipher = createCipheriv(CIPHER, key, nonce)
  const bytes = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), bytes])
  return { key: key.toString('hex'), sealed: sealed.toString('base64url') }
}

function unseal({ key, sealed }: Sealed): unknown {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'hex'), bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
  return JSON.parse(text.toString())
}

/** What an erasure knew at its start: after an interruption, the rows may have lost it. */
export interface ErasureSnapshot extends Identifiers {
  asked: Identifiers
  shared: string[]
  values: PersonalValue[]
  alone: Identifiers
  events: number[]
  besideOthers: number[]
}

interface Begun {
  person: string
  by: string
  begun: true
}

export const BEGUN_MARK = '"begun":true,"key":"'
const PARTS = /,"key":"([0-9a-f]{64})","sealed":"([\w-]+)"/

export function begunSelection(begun: Begun, snapshot: ErasureSnapshot): Begun & Sealed {
  return { ...begun, ...seal(snapshot) }
}

export function readBegun(selection: string): { person: string; key: string; snapshot: ErasureSnapshot } | null {
  const [, key, sealed] = PARTS.exec(selection) ?? []
  if (key === undefined || sealed === undefined) return null
  try {
    const { person } = JSON.parse(selection) as Begun
    return { person, key, snapshot: unseal({ key, sealed }) as ErasureSnapshot }
  } catch {
    return null
  }
}

export function withoutSealed(selection: string): string {
  return selection.replace(PARTS, '')
}
