import { z } from 'zod'
import { type AdapterInstance, defineAdapter } from '../../src/adapters/adapter.ts'

/** An adapter that a test gives whole: `{ adapter: GIVEN_INSTANCE, instance: { ports: {}, check } }`. */
export default defineAdapter({
  name: 'given-instance',
  options: z.strictObject({ instance: z.custom<Omit<AdapterInstance, typeof Symbol.asyncDispose>>() }),
  create: ({ instance }) => ({ ...instance, [Symbol.asyncDispose]: async () => {} }),
})
