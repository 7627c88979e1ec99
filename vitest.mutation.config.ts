import { defineConfig } from 'vitest/config'
import { wovenFiles } from './tools/mutation/run/plugin.ts'
import base from './vitest.config.ts'

/** One process of `npm run test:mutation`, which is told by its environment what to do (docs/mutations.md). */
export default defineConfig({
  plugins: [wovenFiles()],
  test: {
    ...base.test,
    // One file, so that vitest starts its process; which files are run there the runner decides.
    include: ['test/mutation/weave.test.ts'],
    exclude: [],
    runner: './tools/mutation/run/runner.ts',
    execArgv: ['--import', new URL('./tools/mutation/run/switch.ts', import.meta.url).href],
    // Vite reads what is woven; Node would read the files as they are.
    experimental: { viteModuleRunner: true },
    // Kept by the names of the files, which are the same whatever is woven into them.
    fsModuleCache: false,
    maxWorkers: 1,
    retry: 0,
    testTimeout: 120_000,
  },
})
