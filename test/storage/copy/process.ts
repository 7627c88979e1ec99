import { copyStorage } from '../../../src/storage/copy/copy.ts'

/* A copy in a process of its own, so that it can be killed. */

const [from = '', to = ''] = process.argv.slice(2)
await copyStorage(from, to)
