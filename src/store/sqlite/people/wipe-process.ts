import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { readShape, readTrunk, wipeFreeBytes } from './free-bytes.ts'

/*
 * Overwrites what no row has of some pages of a SQLite file: "node wipe-process.ts <file> <pages>". It is a process of its own, and
 * runs while the writer has let go of the file and the WAL is empty: nothing else writes to it meanwhile.
 */

const [path = '', list = ''] = process.argv.slice(2)
const file = openSync(path, 'r+')
const first = Buffer.alloc(100)
readSync(file, first, 0, 100, 0)
const { pageSize, usable, firstTrunk } = readShape(first)
const free = freePages()
let wiped = 0
for (const number of list.split(',').map(Number)) {
  const page = pageAt(number)
  if (free.has(number)) page.fill(0)
  else if (!wipeFreeBytes(page, number, usable)) continue
  writeSync(file, page, 0, pageSize, (number - 1) * pageSize)
  wiped += 1
}
fsyncSync(file)
closeSync(file)
process.stdout.write(String(wiped))

function pageAt(number: number): Buffer {
  const page = Buffer.alloc(pageSize)
  readSync(file, page, 0, pageSize, (number - 1) * pageSize)
  return page
}

/** Pages that nothing is on; those of their list itself are left as they are. */
function freePages(): Set<number> {
  const found = new Set<number>()
  for (let trunk = firstTrunk; trunk !== 0; ) {
    const { next, free: named } = readTrunk(pageAt(trunk))
    for (const number of named) found.add(number)
    trunk = next
  }
  return found
}
