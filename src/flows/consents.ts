import type { SubmittedConsent, SubmittedCustomer } from '../domain/catalogue/submitted.ts'
import type { CustomerConsent } from '../domain/people/consent.ts'
import { payloadOf } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { readConsent, readDeleted } from '../payloads/customer.ts'
import { changedIn, subjectOf } from './customers.ts'
import type { Flow } from './flow.ts'

/**
 * What a customer agreed to at a till reaches whoever writes to customers (facts §4). It is told by itself, so that a consent that
 * changes does not send the whole customer again, and a customer who moves tells no consent. Of who is deleted
 * it is told what they withdrew, and nothing else.
 */
export const tellConsent: Flow = {
  name: 'tell-consent',
  kinds: ['CustomerCreated', 'CustomerUpdated'],
  port: 'customers',
  method: 'noteConsent',
  urgency: 'bulk',
  latestWins: true,
  plan(event) {
    const consent = toTell(event.payload)
    if (!consent) return []
    const known = { subject: subjectOf(consent), digest: digestOfFlags(consent) }
    return [{ part: '', entity: event.entity, ...known, ...changedIn(event) }]
  },
  call: (event) => ({
    port: 'customers',
    method: 'noteConsent',
    argument: toTell(payloadOf(event)) ?? lacking(),
  }),
}

/** Whoever writes to customers hears of no deletion: what is withdrawn with it is the last word that could stop them. */
function toTell(payload: unknown): CustomerConsent | null {
  const consent = readConsent(payload)
  if (consent === null || readDeleted(payload) === null) return consent
  const withdrawn = (said: boolean | null) => (said === false ? false : null)
  const flags = {
    agreedSendEmail: withdrawn(consent.agreedSendEmail),
    agreedSendSms: withdrawn(consent.agreedSendSms),
  }
  return flags.agreedSendEmail === null && flags.agreedSendSms === null ? null : { ...consent, ...flags }
}

/** Consents as the system knows them that submits the customer; none where it does not say both. */
export function consentOfSender(system: string, customer: SubmittedCustomer) {
  const { agreedSendEmail, agreedSendSms } = customer
  if (agreedSendEmail === undefined || agreedSendSms === undefined) return []
  const ids = { customerId: customer.customerId ?? null, extId: customer.extId }
  return [acknowledged(system, ids, { agreedSendEmail, agreedSendSms })]
}

/** Both consents as the system knows them that submits one choice for all: it does not come back unless it differs. */
export function choiceOfSender(system: string, { customerId, extId, agreed }: SubmittedConsent) {
  const ids = { customerId: customerId ?? null, extId: extId ?? null }
  return acknowledged(system, ids, { agreedSendEmail: agreed, agreedSendSms: agreed })
}

interface Flags {
  agreedSendEmail: boolean | null
  agreedSendSms: boolean | null
}

function acknowledged(destination: string, ids: Parameters<typeof subjectOf>[0], flags: Flags) {
  return { destination, flow: tellConsent.name, subject: subjectOf(ids), digest: digestOfFlags(flags) }
}

function digestOfFlags({ agreedSendEmail, agreedSendSms }: Flags): string {
  return digestOf({ agreedSendEmail, agreedSendSms })
}

function lacking(): never {
  throw new PermanentError('the customer lacks customerId, or says nothing of consents', { code: 'bad-customer' })
}
