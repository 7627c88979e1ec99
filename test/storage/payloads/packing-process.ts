import { DAY } from '../acting.ts'
import { openFile } from '../sqlite/file.ts'

/* Packs what a file has, for as long as it lives: `node packing-process.ts <file>`. */

const storage = await openFile(process.argv[2] ?? '')
for (;;) {
  const { payloads } = await storage.packPayloads(Date.now() + DAY)
  process.stdout.write(payloads === 0 ? 'done\n' : 'packed\n')
  if (payloads === 0) break
}
setInterval(() => {}, 1_000)
