import type { CustomerQuery } from '../domain/people/customer-query.ts'
import type { CustomerConsent, CustomerRecord } from '../domain/people/customer-record.ts'
import type { ForgottenCustomer } from '../domain/people/erasing/notice.ts'
import type { Attempt, Batch, BatchResult, CallOf, Effect, Question } from './attempt.ts'

export interface CustomersPort {
  /** Creates or updates. Links `customer` by customerId. */
  upsert?(customer: CustomerRecord, attempt: Attempt): Promise<Effect>
  /** Consents; the newest counts. Links as `upsert` does. */
  noteConsent?(consent: CustomerConsent, attempt: Attempt): Promise<Effect>
  /** Deleted on the platform; of the hub's directory only. */
  drop?(customer: { customerId: string }, attempt: Attempt): Promise<Effect>
  /** Buyers, for lookups: fills up what is known. */
  remember?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  take?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  /** Personal data goes or becomes the pseudonym; accounting records stay. */
  erase?(customer: ForgottenCustomer, attempt: Attempt): Promise<Effect>
  /** By exactly this e-mail address or phone number, for a waiting POS. */
  search?(query: CustomerQuery, question: Question): Promise<CustomerRecord[]>
  find?(attempt: Attempt, call: CustomersCall): Promise<Effect | null>
}

export type CustomersCall = CallOf<'customers', CustomersPort, Exclude<keyof CustomersPort, 'search' | 'find'>>
