import { defineConfig } from 'vitest/config'

/** The long proofs (kill, hang, steady load): `npm run test:soak`. */
export default defineConfig({
  test: {
    include: ['test/**/*.soak.ts', 'packages/*/test/**/*.soak.ts'],
    // Longer than all others together: vitest.long.config.ts.
    exclude: [
      'test/expressions/**',
      'test/flows/days/large-payloads.soak.ts',
      'test/flows/killed/bad-shop.soak.ts',
      'node_modules/**',
    ],
    fileParallelism: false,
    // A machine that does others' work besides may stand still for longer than a proof waits.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
})
