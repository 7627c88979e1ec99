import { openFile } from './sqlite/file.ts'

/* Rewrites a file in which an erasure left bytes: `node purging-process.ts <file>`. */

const storage = await openFile(process.argv[2] ?? '')
await storage.purgeDue(null)
process.stdout.write('done\n')
setInterval(() => {}, 1_000)
