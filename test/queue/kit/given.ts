import { z } from 'zod'
import { defineAdapter } from '../../../src/adapters/adapter.ts'
import type { Ports } from '../../../src/ports/ports.ts'

/** An adapter whose ports a test gives in the config: `{ adapter: GIVEN, ports: { publish: { … } } }`. */
export default defineAdapter({
  name: 'given',
  options: z.strictObject({ ports: z.custom<Ports>() }),
  create: ({ ports }) => ({ ports, [Symbol.asyncDispose]: async () => {} }),
})
