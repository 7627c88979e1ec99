// Runs after `npm install`: npm links the commands of packages, and not this one's own. `npx tillbridge` looks here first.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../node_modules/.bin', import.meta.url))
const program = join('..', '..', 'bin', 'tillbridge.mjs')

mkdirSync(folder, { recursive: true })
if (process.platform === 'win32') {
  writeFileSync(join(folder, 'tillbridge.cmd'), `@node "%~dp0${program}" %*\r\n`)
} else {
  rmSync(join(folder, 'tillbridge'), { force: true })
  symlinkSync(program, join(folder, 'tillbridge'))
}
