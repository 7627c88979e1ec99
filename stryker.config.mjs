import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { ROOM = 'domain/queue' } = process.env
/** A folder of src or of a package, or a file of it (docs/mutations.md). */
const room = ROOM.startsWith('packages/') ? ROOM : `src/${ROOM}`

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: [room.endsWith('.ts') ? room : `${room}/**/*.ts`],
  // Which tests those are says the config; Vite, which would tell related ones, does not read the files.
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Tables and schemas, which are read once: each would have all tests run, in a process of its own.
  ignoreStatic: true,
  concurrency: 2,
  // TypeScript 7 has not the interface by which Stryker rewrites paths in this file, and no path of it leads out of the project.
  tsconfigFile: 'none.json',
  tempDirName: join(tmpdir(), 'tillbridge-mutation'),
  reporters: ['clear-text', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  htmlReporter: { fileName: '.mutation/mutation.html' },
}
