import type { SubmittedCustomer } from '../domain/catalogue/submitted.ts'
import type { CustomerConsent, CustomerRecord } from '../domain/customers/customer-record.ts'
import { type Notice, PERSON_FORGOTTEN } from '../domain/privacy/notice.ts'
import { DIRECTORY, type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { phoneOf } from '../domain/values/phone.ts'
import { wallClockInstant } from '../domain/values/store-time.ts'
import { digestOf } from '../domain/values/text.ts'
import {
  readChangedAt,
  readConsent,
  readCustomer,
  readDeleted,
  readSaleCustomer,
} from '../platform/payloads/customer.ts'
import { erasureNotice } from './context.ts'
import { type EventToRoute, type Flow, withoutRestated } from './flow.ts'
import { onlyIfNotified, respectsConsent, supersededBy } from './guards.ts'
import { submission } from './master-data.ts'

/** A submitted customer is created on the platform, or found there (spec, PUT /api/Customer). */
const saveCustomer: Flow = submission('save-customer', 'CustomerSubmitted', 'saveCustomer', {
  guards: [
    supersededBy({ flows: ['delete-customer', 'save-customer'], leaves: leftOf }),
    respectsConsent({ by: whoAgreed, without: withoutRevoked }),
  ],
  plan: ({ entity, payload }) =>
    (payload as SubmittedCustomer).directoryOnly ? [] : [{ part: '', entity, ...versionOf(payload) }],
})

const deleteCustomer: Flow = submission('delete-customer', 'CustomerDeletionSubmitted', 'deleteCustomer', {
  guards: [supersededBy({ flows: [saveCustomer.name], leaves: () => null })],
})

const upsertCustomer: Flow = {
  name: 'upsert-customer',
  kinds: ['CustomerCreated', 'CustomerUpdated'],
  port: 'customers',
  method: 'upsert',
  urgency: 'bulk',
  latestWins: true,
  plan(event) {
    const deleted = readDeleted(event.payload)
    if (deleted) {
      const step = { entity: event.entity, ...goneAs(deleted), ...changedIn(event) }
      return [
        { part: '', ...step },
        { part: DROP, ...step, to: [DIRECTORY], force: true },
      ]
    }
    const customer = readCustomer(event.payload)
    return customer ? [{ part: '', entity: event.entity, ...acknowledgedAs(customer), ...changedIn(event) }] : []
  },
  call(event, { part }) {
    const payload = payloadOf(event)
    const deleted = readDeleted(payload)
    if (deleted)
      return part === DROP ? { port: 'customers', method: 'drop', argument: { customerId: deleted.customerId } } : null
    const argument = readCustomer(payload) ?? lacking('the customer lacks customerId, or says nothing besides it')
    return { port: 'customers', method: 'upsert', argument }
  },
}

const DROP = 'drop'

const rememberCustomer: Flow = {
  name: 'remember-customer',
  kinds: ['SaleCreated', 'OmniChannelEndlessAisleOrderCreated'],
  port: 'customers',
  method: 'remember',
  urgency: 'bulk',
  plan: ({ payload }) => (readSaleCustomer(payload) ? [{ part: '', entity: null, batch: 'sales' }] : []),
  call: (event) => ({
    port: 'customers',
    method: 'remember',
    argument: readSaleCustomer(payloadOf(event)) ?? lacking('the sale has no customer to remember'),
  }),
}

const takeCustomer: Flow = {
  name: 'take-customer',
  kinds: ['CustomerSubmitted'],
  port: 'customers',
  method: 'take',
  urgency: 'bulk',
  latestWins: true,
  plan: ({ entity, payload }) => [{ part: '', entity, batch: 'submitted', ...versionOf(payload) }],
  call: (event) => ({ port: 'customers', method: 'take', argument: asRecord(payloadOf(event) as SubmittedCustomer) }),
}

function changedIn({ kind, payload, receivedAt }: EventToRoute): { version: number | null } {
  const at = readChangedAt(kind, payload)
  const version = at === null ? null : wallClockInstant(at, null)
  return { version: version === null || version <= 0 || version > receivedAt + DAY ? null : version }
}

const DAY = 86_400_000

function versionOf(payload: unknown): { version: number | null } {
  const at = Date.parse((payload as SubmittedCustomer).changedAt ?? '')
  return { version: Number.isNaN(at) ? null : at }
}

function leftOf(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null {
  if (later.kind === 'CustomerDeletionSubmitted') return null
  const since = payloadOf(later) as SubmittedCustomer
  const [before, after] = [versionOf(payloadOf(event)).version, versionOf(since).version]
  const isOlder = before !== null && after !== null && after < before
  return isOlder ? event : withoutRestated(event, since, NAMES)
}

function whoAgreed(event: Event): SubmittedCustomer | null {
  const customer = payloadOf(event) as SubmittedCustomer
  return customer.agreedSendEmail === true || customer.agreedSendSms === true ? customer : null
}

function withoutRevoked(event: Event, { agreedSendEmail, agreedSendSms }: CustomerConsent): Event | null {
  const revoked = {
    ...(agreedSendEmail === false && { agreedSendEmail }),
    ...(agreedSendSms === false && { agreedSendSms }),
  }
  return withoutRestated(event, revoked, NAMES)
}

const NAMES = ['extId', 'customerId', 'changedAt', 'directoryOnly']

function acknowledgedAs(customer: CustomerRecord): { subject: string; digest: string } {
  const { customerId, extId, ...said } = customer
  return { subject: subjectOf({ customerId, extId }), digest: digestOf(said) }
}

function goneAs(ids: Pick<CustomerRecord, 'customerId' | 'extId'>): { subject: string; digest: string } {
  return { subject: subjectOf(ids), digest: digestOf({ deleted: true }) }
}

function subjectOf({ customerId, extId }: Pick<CustomerRecord, 'customerId' | 'extId'>): string {
  return extId === null ? `customer:${keyPart(customerId ?? '')}` : `customer-ext:${keyPart(extId)}`
}

export function acknowledgedBySender(system: string, customer: SubmittedCustomer) {
  return { destination: system, flow: upsertCustomer.name, ...acknowledgedAs(asRecord(customer)) }
}

function asRecord(customer: SubmittedCustomer): CustomerRecord {
  return {
    customerId: null,
    extId: customer.extId,
    email: customer.email?.toLowerCase() || null,
    firstName: customer.firstName || null,
    lastName: customer.lastName || null,
    companyName: customer.companyName || null,
    phone: phoneOf(customer.phoneCountryPrefix ?? null, customer.phone || null, customer.countryCode || null),
    address: customer.address || null,
    postalCode: customer.postalCode || null,
    city: customer.city || null,
    countryCode: customer.countryCode || null,
  }
}

function lacking(what: string): never {
  throw new PermanentError(what, { code: 'bad-customer' })
}

/** Separate from the record, so that neither change resends the other. */
const tellConsent: Flow = {
  name: 'tell-consent',
  kinds: ['CustomerCreated', 'CustomerUpdated'],
  port: 'customers',
  method: 'noteConsent',
  urgency: 'bulk',
  latestWins: true,
  plan(event) {
    const [consent, deleted] = [readConsent(event.payload), readDeleted(event.payload)]
    if (!consent) return deleted ? [{ part: '', entity: event.entity, ...goneAs(deleted), ...changedIn(event) }] : []
    const { agreedSendEmail, agreedSendSms } = consent
    const known = { subject: subjectOf(consent), digest: digestOf({ agreedSendEmail, agreedSendSms }) }
    return [{ part: '', entity: event.entity, ...known, ...changedIn(event) }]
  },
  guards: [onlyIfNotified((event) => readDeleted(payloadOf(event)) !== null)],
  call(event) {
    const payload = payloadOf(event)
    const consent = readConsent(payload)
    const argument = readDeleted(payload)
      ? consent && revokedOf(consent)
      : (consent ?? lacking('the customer lacks customerId, or says nothing of consents'))
    return argument && { port: 'customers', method: 'noteConsent', argument }
  },
}

function revokedOf(consent: CustomerConsent): CustomerConsent | null {
  const revoked = (said: boolean | null) => (said === false ? false : null)
  const [agreedSendEmail, agreedSendSms] = [revoked(consent.agreedSendEmail), revoked(consent.agreedSendSms)]
  return agreedSendEmail === null && agreedSendSms === null ? null : { ...consent, agreedSendEmail, agreedSendSms }
}

export function consentOfSender(system: string, customer: SubmittedCustomer) {
  const { customerId = null, extId, agreedSendEmail, agreedSendSms } = customer
  if (agreedSendEmail === undefined || agreedSendSms === undefined) return []
  const digest = digestOf({ agreedSendEmail, agreedSendSms })
  return [{ destination: system, flow: tellConsent.name, subject: subjectOf({ customerId, extId }), digest }]
}

/** GDPR, article 19. Idempotent. */
export const forgetPerson: Flow = {
  name: 'erase-person',
  kinds: [PERSON_FORGOTTEN],
  port: 'customers',
  method: 'erase',
  urgency: 'bulk',
  plan: ({ payload }) => [{ part: '', entity: null, to: Object.keys((payload as Notice).sealed) }],
  guards: [erasureNotice()],
  call(event, _step, { notice }) {
    if (notice) return { port: 'customers', method: 'erase', argument: notice }
    throw new PermanentError(
      `whom ${(payloadOf(event) as Notice).person} stands for is not known any more: the key of this notice is gone`,
      { code: 'notice-over' },
    )
  },
}

export const customers: readonly Flow[] = [
  saveCustomer,
  deleteCustomer,
  upsertCustomer,
  // New customers are created before their consents.
  tellConsent,
  rememberCustomer,
  takeCustomer,
  forgetPerson,
]
