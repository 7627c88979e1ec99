import { defineConfig } from 'vitest/config'

/** The long proofs (kill, hang, steady load): `npm run test:soak`. */
export default defineConfig({
  test: {
    include: ['test/**/*.soak.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
})
