import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { storeContract } from './contract.ts'
import { createEmptyFile, openCopy, temporaryFolder } from './sqlite-file.ts'

const folder = temporaryFolder()
const empty = join(folder.path, 'empty.db')
beforeAll(() => createEmptyFile(empty))
afterAll(() => folder[Symbol.dispose]())

storeContract({ name: 'SQLite', open: (options) => openCopy(empty, options) })
