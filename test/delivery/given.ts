import { z } from 'zod'
import { defineAdapter, type Ports } from '../../src/adapters/adapter.ts'

/** An adapter whose ports a test gives in the config: `{ adapter: GIVEN, ports: { publish: { … } } }`. */
export default defineAdapter({
  name: 'given',
  options: z.strictObject({ ports: z.custom<Ports>() }),
  create: ({ ports }) => ({ ports, [Symbol.asyncDispose]: async () => {} }),
})
