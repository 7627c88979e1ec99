import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Identifiers, PersonalValue } from './person-nodes.ts'

/** A person who is to be forgotten by a destination, as far as it can know who that is. */
export interface ForgottenCustomer {
  pseudonym: string
  customerIds: string[]
  theirIds: string[]
  emails: string[]
  orders: string[]
}

/** The kind of the links that hold the keys of notices, and the id that all of them have. */
export const NOTICE_KEYS = { kind: 'notice', id: 'erasure' } as const

export const PERSON_FORGOTTEN = 'PersonForgotten'

/** The payload of that event: whoever reads it without the keys learns nothing of the person. */
export interface Notice {
  person: string
  sealed: Record<string, string>
}

/** Seals what a destination is told. Without the key nobody reads it any more: it goes as soon as the destination knows. */
export function sealNotice(customer: ForgottenCustomer): Sealed {
  return seal(customer)
}

/** What was sealed with that key. Throws where it is another key's. */
export function openNotice(sealed: string, key: string): ForgottenCustomer {
  return unseal({ sealed, key }) as ForgottenCustomer
}

/** The key of a notice as its link has it, which says whose it is. */
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

/** What is sealed, and the key in hex, without which nobody reads it any more. */
export interface Sealed {
  key: string
  sealed: string
}

function seal(value: unknown): Sealed {
  const [key, nonce] = [randomBytes(32), randomBytes(NONCE)]
  const cipher = createCipheriv(CIPHER, key, nonce)
  const bytes = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), bytes])
  return { key: key.toString('hex'), sealed: sealed.toString('base64url') }
}

/** What was sealed with that key. Throws where it is another key's. */
function unseal({ key, sealed }: Sealed): unknown {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'hex'), bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
  return JSON.parse(text.toString())
}

/** The knowledge that an erasure had of its person when it was begun: where it is cut off, rows may not tell it again. */
export interface Learnt extends Identifiers {
  asked: Identifiers
  shared: string[]
  values: PersonalValue[]
  alone: Identifiers
  /** The person's events, and those among them in which others stand by what they share. */
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

export function begunSelection(begun: Begun, learnt: Learnt): Begun & Sealed {
  return { ...begun, ...seal(learnt) }
}

export function readBegun(selection: string): { person: string; key: string; learnt: Learnt } | null {
  const [, key, sealed] = PARTS.exec(selection) ?? []
  if (key === undefined || sealed === undefined) return null
  try {
    const { person } = JSON.parse(selection) as Begun
    return { person, key, learnt: unseal({ key, sealed }) as Learnt }
  } catch {
    return null
  }
}

export function withoutSealed(selection: string): string {
  return selection.replace(PARTS, '')
}
