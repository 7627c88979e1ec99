import type { z } from 'zod'
import type { Done } from '../actions/all.ts'
import { Refusal } from '../refusal.ts'

/** Reads what a form asks for; fields that nobody filled in say nothing. What cannot be is a Refusal in one sentence. */
export function ask<Asked>(schema: z.ZodType<Asked>, fields: Readonly<Record<string, unknown>>): Asked {
  const said = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined))
  const asked = schema.safeParse(said)
  if (asked.success) return asked.data
  const [issue] = asked.error.issues
  throw new Refusal(400, `${issue?.path.join(' ')}: ${issue?.message}.`)
}

/** Facts whose names are not what people say; the others are their names in words. */
const WORDS: Readonly<Record<string, string>> = {
  receiptNo: 'receipt',
  posId: 'pos',
  total: '',
  txRef: 'payment reference',
  orderNo: 'online order',
  orderId: 'delivery',
  customerId: 'customer',
  transferId: 'transfer',
  reconciliationId: 'reconciliation',
  id: 'reservation',
  ids: 'reservation',
  giftCard: 'number',
  isRefunded: 'refunded',
  what: '',
}

/** A sentence of what was done and its facts. */
export function tell(what: string, done: Done): string {
  const facts = factsOf(done)
  return facts === '' ? `${what}.` : `${what}: ${facts}.`
}

function factsOf(done: object): string {
  return Object.entries(done)
    .map(([name, value]) => [WORDS[name] ?? inWords(name), wordsOf(value)] as const)
    .filter(([, value]) => value !== '')
    .map((fact) => fact.filter(Boolean).join(' '))
    .join(', ')
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(' and ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? factsOf(value) : String(value)
}

/** `stockLevel` is `stock level`. */
function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
