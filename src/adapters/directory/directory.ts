import type { CustomerQuery } from '../../domain/customers/customer-query.ts'
import { type CustomerRecord, filledUp, mayBeOneName } from '../../domain/customers/customer-record.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { homeSpellings } from '../../domain/values/phone.ts'
import type { CustomersPort } from '../../ports/ports.ts'

interface DirectoryRecords {
  /** By customerId, else extId, else e-mail, else phone. */
  saveCustomers(customers: CustomerRecord[], now: Instant): Promise<void>
  /** Also of sales; a dropped customer stays away unless saved since. */
  rememberCustomers(customers: CustomerRecord[], now: Instant): Promise<void>
  dropCustomer(customerId: string): Promise<void>
  findCustomers(query: CustomerQuery): Promise<CustomerRecord[]>
}

export function createDirectoryPort(
  records: DirectoryRecords,
  now: () => Instant = Date.now,
): Required<Pick<CustomersPort, 'upsert' | 'drop' | 'remember' | 'take' | 'search'>> {
  async function known(customer: CustomerRecord): Promise<CustomerRecord | null> {
    const { email, phone } = customer
    const queries: CustomerQuery[] = [
      ...(email === null ? [] : [{ type: 'email' as const, email }]),
      ...(phone === null ? [] : [{ type: 'phone' as const, numbers: [phone], typed: phone.replace('+', '') }]),
    ]
    for (const query of queries) {
      const found = (await records.findCustomers(query)).find((one) => mayBe(one, customer))
      if (found) return found
    }
    return null
  }

  return {
    async upsert(customer) {
      await records.saveCustomers([customer], now())
      return {}
    },
    async drop({ customerId }) {
      await records.dropCustomer(customerId)
      return {}
    },
    async remember(batch) {
      const filled: CustomerRecord[] = []
      for (const { argument } of batch) {
        const before = await known(argument)
        filled.push(before ? filledUp(before, argument) : argument)
      }
      await records.rememberCustomers(filled, now())
      return batch.map(() => ({}))
    },
    async take(batch) {
      await records.saveCustomers(
        batch.map(({ argument }) => argument),
        now(),
      )
      return batch.map(() => ({}))
    },
    search: (query) => records.findCustomers(query.type === 'email' ? query : withHomeSpellings(query)),
  }
}

/** Stored numbers may lack a country. */
function withHomeSpellings(query: CustomerQuery & { type: 'phone' }): CustomerQuery {
  const numbers = [...query.numbers, ...query.numbers.flatMap(homeSpellings), query.typed]
  return { ...query, numbers: [...new Set(numbers)] }
}

/** A phone number may be shared by a family. */
function mayBe(known: CustomerRecord, other: CustomerRecord): boolean {
  for (const mark of ['customerId', 'extId', 'email'] as const)
    if (known[mark] !== null && other[mark] !== null) return known[mark] === other[mark]
  return mayBeOneName(known, other)
}
