import type { CustomerQuery } from '../domain/people/customer-query.ts'
import type { CustomerConsent, CustomerRecord } from '../domain/people/customer-record.ts'
import type { ForgottenCustomer } from '../domain/people/erasing/notice.ts'
import type { Attempt, Batch, BatchResult, Effect, Question } from './attempt.ts'

export interface CustomersPort {
  /** Creates or updates. Links `customer` by the platform's customerId to the system's own id. */
  upsert?(customer: CustomerRecord, attempt: Attempt): Promise<Effect>
  /** Takes what a customer agreed to: the newest word counts. Links as `upsert` does. */
  noteConsent?(consent: CustomerConsent, attempt: Attempt): Promise<Effect>
  /** Drops whom the platform has deleted, by its customerId. The hub's own directory alone is asked. */
  drop?(customer: DeletedCustomer, attempt: Attempt): Promise<Effect>
  /** Keeps who bought something, for lookups: what is known already is filled up, not replaced. */
  remember?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  take?(batch: Batch<CustomerRecord>): Promise<BatchResult>
  /** Forgets a customer: what says who it was goes or becomes the pseudonym, what is books stays. */
  erase?(customer: ForgottenCustomer, attempt: Attempt): Promise<Effect>
  /** Customers with exactly this e-mail address or phone number, for a till that waits. */
  search?(query: CustomerQuery, question: Question): Promise<CustomerRecord[]>
  find?(attempt: Attempt, call: CustomersCall): Promise<Effect | null>
}

interface DeletedCustomer {
  customerId: string
}

export type CustomersCall =
  | { port: 'customers'; method: 'upsert' | 'remember' | 'take'; argument: CustomerRecord }
  | { port: 'customers'; method: 'noteConsent'; argument: CustomerConsent }
  | { port: 'customers'; method: 'drop'; argument: DeletedCustomer }
  | { port: 'customers'; method: 'erase'; argument: ForgottenCustomer }
