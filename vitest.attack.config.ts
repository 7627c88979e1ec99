import { defineConfig } from 'vitest/config'

/** The short form of the attacks, after the other tests: how late an honest webhook is says nothing while they run beside it. */
export default defineConfig({
  test: {
    include: ['test/attack/attack.test.ts'],
    execArgv: ['--import', new URL('./tools/compile-cache.mjs', import.meta.url).href],
    fileParallelism: false,
    // One in a hundred webhooks of three seconds is one: a machine that stands still once decides.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
