import { openFile } from '../sqlite/file.ts'

/* Another hub on a file, for as long as it lives: `node hub-holder.ts <file>`. */

await openFile(process.argv[2] ?? '')
process.stdout.write('open\n')
setInterval(() => {}, 1_000)
