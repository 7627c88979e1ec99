import type { Client } from '../../http/client.ts'
import { sentId } from '../../http/written.ts'

/** A customer's wishes besides buying: letters, none, or to be forgotten. Not in the spec. No error holds an id. */
export interface CustomerChanges {
  /** DELETE /api/Customer/{customerId}. One that is not there is a PermanentError `http-404`. */
  delete(customerId: string, signal?: AbortSignal): Promise<void>
  /** GET /api/Customer/optin/{customerId}, which writes: the customer agreed to e-mail and text messages. */
  optIn(customerId: string, signal?: AbortSignal): Promise<void>
  /** GET /api/Customer/optout/{customerId}, which writes: to neither. */
  optOut(customerId: string, signal?: AbortSignal): Promise<void>
}

export function createCustomerChanges(client: Client): CustomerChanges {
  function changing(operation: 'customers.delete' | 'customers.optIn' | 'customers.optOut') {
    return async (customerId: string, signal?: AbortSignal) => {
      const id = String(sentId(customerId, `${operation}: the customerId`))
      await client.write(operation, { path: { customerId: id }, secrets: [id], signal })
    }
  }
  return {
    delete: changing('customers.delete'),
    optIn: changing('customers.optIn'),
    optOut: changing('customers.optOut'),
  }
}
