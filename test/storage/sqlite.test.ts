import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { writeEmptyStore } from '../empty-store.ts'
import { storeContract } from './contract.ts'
import { openCopy, temporaryFolder } from './sqlite/file.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => writeEmptyStore(empty))
afterAll(() => folder[Symbol.dispose]())

storeContract({ name: 'SQLite', open: (options) => openCopy(empty, options), waits: false })
