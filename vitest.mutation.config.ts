import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const room = process.env.ROOM ?? 'domain/queue'

/** The tests that Stryker asks (docs/mutations.md): by default those of the first folder of the room. */
export default defineConfig({
  test: {
    ...base.test,
    include: [process.env.TESTS ?? `test/${room.split('/')[0]}/**/*.test.ts`],
    exclude: ['**/*.slow.test.ts', '**/node_modules/**'],
    // What Stryker changes is a copy of the project, but for node_modules, which leads back to the original.
    execArgv: [...(base.test?.execArgv ?? []), '--import', new URL('./tools/own-entry.mjs', import.meta.url).href],
    maxWorkers: 1,
    retry: 0,
  },
})
