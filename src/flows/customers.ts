import type { NamedCustomer, SubmittedCustomer } from '../domain/catalogue/submitted.ts'
import type { CustomerConsent } from '../domain/people/consent.ts'
import type { CustomerRecord } from '../domain/people/customer-record.ts'
import { type Notice, PERSON_FORGOTTEN } from '../domain/people/erasing/notice.ts'
import { phoneOf } from '../domain/people/phone.ts'
import { DIRECTORY, type Event, keyPart, payloadOf } from '../domain/queue/event.ts'
import { digestOf } from '../domain/values/digest.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { wallClockInstant } from '../domain/values/store-time.ts'
import { readChangedAt, readConsent, readCustomer, readDeleted, readSaleCustomer } from '../payloads/customer.ts'
import { type Flow, type Planned, withoutSaidSince } from './flow.ts'

/** A customer of an own system becomes one of the platform, or is found there (spec, PUT /api/Customer). */
export const saveCustomer: Flow = {
  name: 'save-customer',
  kinds: ['CustomerSubmitted'],
  port: 'platform',
  urgency: 'bulk',
  undoneBy: { flows: ['delete-customer', 'save-customer'], leaves: leftOf },
  agreed: { by: whoAgreed, without: withoutWithdrawn },
  plan: ({ entity, payload }) =>
    (payload as SubmittedCustomer).directoryOnly ? [] : [{ part: '', entity, ...versionOf(payload) }],
  call: (event) => ({ port: 'platform', method: 'saveCustomer', argument: payloadOf(event) as SubmittedCustomer }),
}

/** To be forgotten there (public facts). To delete one twice does nothing twice. Who is submitted again after it is a customer. */
export const deleteCustomer: Flow = {
  name: 'delete-customer',
  kinds: ['CustomerDeletionSubmitted'],
  port: 'platform',
  urgency: 'bulk',
  undoneBy: { flows: [saveCustomer.name], leaves: () => null },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'deleteCustomer', argument: payloadOf(event) as NamedCustomer }),
}

/**
 * A customer of the platform becomes one of the CRM or the shop (Events 2 and 3). What a
 * system submitted itself is what it has acknowledged: it does not come back unless it differs. Who is deleted there is given to
 * nobody: what still waits is superseded by a step that makes no call, and the hub's own directory drops the record.
 */
export const upsertCustomer: Flow = {
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
      // The directory may know of the record by another road since the same was said last.
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

/** Buyers at a till are kept for the till's questions. */
export const rememberCustomer: Flow = {
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

/** Customers whom an own system submits are kept for the till's questions, too. */
export const takeCustomer: Flow = {
  name: 'take-customer',
  kinds: ['CustomerSubmitted'],
  port: 'customers',
  method: 'take',
  urgency: 'bulk',
  latestWins: true,
  plan: ({ entity, payload }) => [{ part: '', entity, batch: 'submitted', ...versionOf(payload) }],
  call: (event) => ({
    port: 'customers',
    method: 'take',
    argument: asRecord(payloadOf(event) as SubmittedCustomer),
  }),
}

/**
 * The platform's events may come late, or be sent again: what a customer was before does not go over what is known since. A time before
 * all platforms, or one that is still to come on any clock, says nothing. Times without an offset are compared as they are written:
 * nobody says by which store's clock.
 */
function changedIn({ kind, payload, receivedAt }: Planned): { version: number | null } {
  const at = readChangedAt(kind, payload)
  const version = at === null ? null : wallClockInstant(at, null)
  return { version: version === null || version <= 0 || version > receivedAt + DAY ? null : version }
}

const DAY = 86_400_000

/** A shop's webhooks may come late, or again: what is older than what was taken last does nothing. */
function versionOf(payload: unknown): { version: number | null } {
  const at = Date.parse((payload as SubmittedCustomer).changedAt ?? '')
  return { version: Number.isNaN(at) ? null : at }
}

/** The event with what is to be said of a customer still, after what was said since: by a deletion or another submission. */
function leftOf(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null {
  if (later.kind === 'CustomerDeletionSubmitted') return null
  const since = payloadOf(later) as SubmittedCustomer
  const [before, after] = [versionOf(payloadOf(event)).version, versionOf(since).version]
  const isOlder = before !== null && after !== null && after < before
  return isOlder ? event : withoutSaidSince(event, since, NAMES)
}

function whoAgreed(event: Event): SubmittedCustomer | null {
  const customer = payloadOf(event) as SubmittedCustomer
  return customer.agreedSendEmail === true || customer.agreedSendSms === true ? customer : null
}

/** The event without what the customer agreed to then and does not now. */
function withoutWithdrawn(event: Event, { agreedSendEmail, agreedSendSms }: CustomerConsent): Event | null {
  const withdrawn = {
    ...(agreedSendEmail === false && { agreedSendEmail }),
    ...(agreedSendSms === false && { agreedSendSms }),
  }
  return withoutSaidSince(event, withdrawn, NAMES)
}

/** What of a customer says nothing by itself. */
const NAMES = ['extId', 'customerId', 'changedAt', 'directoryOnly']

/** The customer as a destination knows them once it has this record, by the id that both sides know. */
function acknowledgedAs(customer: CustomerRecord): { subject: string; digest: string } {
  const { customerId, extId, ...said } = customer
  return { subject: subjectOf({ customerId, extId }), digest: digestOf(said) }
}

/** The customer as a destination knows them that was told nothing more of them. */
function goneAs(ids: Pick<CustomerRecord, 'customerId' | 'extId'>): { subject: string; digest: string } {
  return { subject: subjectOf(ids), digest: digestOf({ deleted: true }) }
}

/** A customer as what is said of them is kept: by the id that both sides know. */
export function subjectOf({ customerId, extId }: Pick<CustomerRecord, 'customerId' | 'extId'>): string {
  return extId === null ? `customer:${keyPart(customerId ?? '')}` : `customer-ext:${keyPart(extId)}`
}

/** The customer as the system knows them that submits them, if it is a destination, too. */
export function acknowledgedBySender(system: string, customer: SubmittedCustomer) {
  return { destination: system, flow: upsertCustomer.name, ...acknowledgedAs(asRecord(customer)) }
}

/** A customer that an own system submitted, as it will come back from the platform. */
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
    const argument = readDeleted(payload) ? consent && withdrawnOf(consent) : (consent ?? lackingConsent())
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

function lackingConsent(): never {
  throw new PermanentError('the customer lacks customerId, or says nothing of consents', { code: 'bad-customer' })
}

/**
 * Destinations that were told of a person are told to forget them (GDPR, article 19). To forget one twice does nothing twice. The
 * event names nobody: what the destination has to know is sealed in it, and its key goes once that has been told.
 */
export const forgetPerson: Flow = {
  name: 'forget-person',
  kinds: [PERSON_FORGOTTEN],
  port: 'customers',
  method: 'erase',
  urgency: 'bulk',
  needsNotice: true,
  plan: ({ payload }) => [{ part: '', entity: null, to: Object.keys((payload as Notice).sealed) }],
  call(event, _step, { notice }) {
    if (notice) return { port: 'customers', method: 'erase', argument: notice }
    throw new PermanentError(
      `whom ${(payloadOf(event) as Notice).person} stands for is not known any more: the key of this notice is gone`,
      { code: 'notice-over' },
    )
  },
}
