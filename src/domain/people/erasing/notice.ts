import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** A person who is to be forgotten by a destination, as far as it can know who that is. */
export interface ForgottenCustomer {
  /** What stands instead of the person from now on. */
  pseudonym: string
  /** Ids that the platform and own systems know the person by. */
  customerIds: string[]
  /** The destination's own ids of the customer, where the hub knows them. */
  theirIds: string[]
  /** Addresses that are of nobody else. */
  emails: string[]
  /** The destination's own ids of the person's orders, where the hub knows them. */
  orders: string[]
}

/** The kind of the links that hold the keys of notices, and the id that all of them have. */
export const NOTICE_KEYS = { kind: 'notice', id: 'erasure' } as const

/** The kind of the event by which destinations are told. */
export const PERSON_FORGOTTEN = 'PersonForgotten'

/** The payload of that event: whoever reads it without the keys learns nothing of the person. */
export interface Notice {
  /** The pseudonym. */
  person: string
  /** By destination: a `ForgottenCustomer`, sealed. */
  sealed: Record<string, string>
}

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

/** Seals what a destination is told. Without the key nobody reads it any more: it goes as soon as the destination knows. */
export function sealNotice(customer: ForgottenCustomer): { sealed: string; key: string } {
  const [key, nonce] = [randomBytes(32), randomBytes(NONCE)]
  const cipher = createCipheriv(CIPHER, key, nonce)
  const bytes = Buffer.concat([cipher.update(JSON.stringify(customer)), cipher.final()])
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), bytes])
  return { sealed: sealed.toString('base64url'), key: key.toString('hex') }
}

/** What was sealed with that key. Throws where it is another key's. */
export function openNotice(sealed: string, key: string): ForgottenCustomer {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'hex'), bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
  return JSON.parse(text.toString()) as ForgottenCustomer
}

/** The key of a notice as its link has it, which says whose it is. */
export function namedKey(pseudonym: string, key: string): string {
  return `${pseudonym}/${key}`
}

/** What such a text says. */
export function readNamedKey(text: string): { pseudonym: string; key: string } {
  const [pseudonym = '', key = ''] = text.split('/')
  return { pseudonym, key }
}
