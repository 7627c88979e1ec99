import type { SubmittedCustomer } from '../../domain/catalogue/submitted.ts'
import { RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { customerLink } from './customers.ts'
import { withFreight } from './freight-lines.ts'
import { sentOnce } from './uncertain.ts'
import { WITHOUT_ID } from './without-id.ts'

type Links = NonNullable<Effect['links']>

/** Completed online orders that become sales (spec, "Online order imported as a sale"). */
export function createSaleWrites({
  customers,
  sales,
  freight,
}: Pick<Platform, 'customers' | 'sales' | 'freight'>): Pick<PlatformPort, 'importSale'> {
  /** The sale is not on the wire yet, and to obtain a customer again does nothing twice. */
  async function obtain(customer: SubmittedCustomer, signal: AbortSignal): Promise<string> {
    try {
      return await customers.obtain(customer, signal)
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error
      throw new RetryLaterError(error.message, { code: error.code, cause: error })
    }
  }

  return {
    async importSale({ customer, storeId, orderNo, ...sale }, { signal }) {
      const links: Links = []
      let customerId = 'customerId' in customer ? customer.customerId : null
      if (!('customerId' in customer)) {
        customerId = await obtain(customer, signal)
        links.push(customerLink(customer, customerId))
      }
      const lines = await withFreight(sale.lines, { freight }, signal)
      const imported = { ...sale, lines, extRef: orderNo, customerId: customerId ?? '' }
      const saleId = await sentOnce(sales.import(imported, { storeId, signal }))
      if (saleId === null) return { links, note: WITHOUT_ID }
      links.push({ kind: 'sale', id: sale.saleGuid, theirId: saleId })
      return { links, note: `sale id ${saleId}` }
    },
  }
}
