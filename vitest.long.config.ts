import { defineConfig } from 'vitest/config'

/** Proofs that walk every size to its end, of expressions and of payloads, and 200 kills before a bad shop: `npm run test:long`. */
export default defineConfig({
  test: {
    include: [
      'test/expressions/*.soak.ts',
      'test/flows/days/large-payloads.soak.ts',
      'test/flows/killed/bad-shop.soak.ts',
    ],
    fileParallelism: false,
    testTimeout: 1_800_000,
  },
})
