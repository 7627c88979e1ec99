import { Agent, request } from 'undici'
import { z } from 'zod'
import { defineAdapter } from '../src/adapters/adapter.ts'
import type { CustomerRecord } from '../src/domain/customers/customer-record.ts'

/** A CRM that knows everybody and takes its time: it is asked over HTTP, as a real one is. */
export default defineAdapter({
  name: 'slow-crm',
  options: z.strictObject({ url: z.url() }),
  create({ url }) {
    const dispatcher = new Agent({ connections: 16 })
    return {
      ports: {
        customers: {
          async search(_, { signal }) {
            const answer = await request(url, { dispatcher, signal })
            return (await answer.body.json()) as CustomerRecord[]
          },
        },
      },
      [Symbol.asyncDispose]: () => dispatcher.destroy(),
    }
  },
})
