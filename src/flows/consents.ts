import type { SubmittedCustomer } from '../domain/catalogue/submitted.ts'
import type { CustomerConsent } from '../domain/people/consent.ts'
import { payloadOf } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { readConsent, readDeleted } from '../payloads/customer.ts'
import { changedIn, goneAs, subjectOf } from './customers.ts'
import type { Flow } from './flow.ts'

/**
 * What a customer agreed to at a till reaches whoever writes to customers (facts §4). It is told by itself, so that a consent that
 * changes does not send the whole customer again, and a customer who moves tells no consent. Of who is deleted only what was withdrawn
 * is told, and only to those who know of a consent: they may have the customer still, and write to them. What still waits of who is
 * deleted is not told any more.
 */
export const tellConsent: Flow = {
  name: 'tell-consent',
  kinds: ['CustomerCreated', 'CustomerUpdated'],
  port: 'customers',
  method: 'noteConsent',
  urgency: 'bulk',
  latestWins: true,
  plan(event) {
    const [consent, deleted] = [readConsent(event.payload), readDeleted(event.payload)]
    if (!consent) return deleted ? [{ part: '', entity: event.entity, ...goneAs(deleted), ...changedIn(event) }] : []
    const known = { subject: subjectOf(consent), digest: digestOfFlags(consent) }
    return [{ part: '', entity: event.entity, ...known, ...changedIn(event) }]
  },
  onlyIfTold: (event) => readDeleted(payloadOf(event)) !== null,
  call(event) {
    const payload = payloadOf(event)
    const consent = readConsent(payload)
    const argument = readDeleted(payload) ? consent && withdrawnOf(consent) : (consent ?? lacking())
    return argument && { port: 'customers', method: 'noteConsent', argument }
  },
}

/** Only what the customer does not agree to; null: nothing. */
function withdrawnOf(consent: CustomerConsent): CustomerConsent | null {
  const withdrawn = (said: boolean | null) => (said === false ? false : null)
  const [agreedSendEmail, agreedSendSms] = [withdrawn(consent.agreedSendEmail), withdrawn(consent.agreedSendSms)]
  return agreedSendEmail === null && agreedSendSms === null ? null : { ...consent, agreedSendEmail, agreedSendSms }
}

/** Consents as the system knows them that submits the customer; none where it does not say both. */
export function consentOfSender(system: string, customer: SubmittedCustomer) {
  const { agreedSendEmail, agreedSendSms } = customer
  if (agreedSendEmail === undefined || agreedSendSms === undefined) return []
  const ids = { customerId: customer.customerId ?? null, extId: customer.extId }
  return [acknowledged(system, ids, { agreedSendEmail, agreedSendSms })]
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
