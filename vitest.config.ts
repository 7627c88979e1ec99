import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { fastFolder } from './tools/fast-folder.ts'

// For the programs that tests start.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'tillbridge-compile-cache')
// Read by Node wherever a temporary folder is asked for, in the workers and in the programs that they start.
process.env.TMPDIR ??= fastFolder()

/** Files of a few lines that tell hundreds of stories: begun last, as small files are, they would keep one processor waiting. */
const LONG = [
  'storage/sqlite.test.ts',
  'storage/postgres.slow.test.ts',
  'process/main.slow.test.ts',
  'storage/plans/postgres.slow.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    // An operator's own adapters stand beside src, with their tests.
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'my-adapters/**/*.test.ts'],
    // Judged by the clock, alone: vitest.attack.config.ts.
    exclude: ['test/attack/attack.test.ts', '**/node_modules/**'],
    // A machine that tests others besides may stand still for longer than a test waits.
    retry: process.env.CI ? 2 : 0,
    // One process for many files: thirty files take 2 s instead of 34 s. Tests therefore keep no state in modules.
    isolate: false,
    pool: 'forks',
    // Node reads the TypeScript itself, here as everywhere: Vite would rewrite each file, and its code has no compile cache.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // As `npm start` does; the threads and programs that tests start inherit it: to compile them again was a third of the time.
    execArgv: ['--import', new URL('./tools/compile-cache.mjs', import.meta.url).href],
    // One more than two processors: some of the time is spent waiting for the disk and for processes. Four take a tenth longer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
