import { type Sealed, seal, unseal } from './sealing.ts'

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

/** What such a text says. */
export function readNamedKey(text: string): { pseudonym: string; key: string } {
  const [pseudonym = '', key = ''] = text.split('/')
  return { pseudonym, key }
}
