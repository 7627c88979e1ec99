import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { openFile } from './sqlite/file.ts'

/* Scrubs a secret of a file, and is killed before it is searched for: `node scrubbing-process.ts <file> <secret>`. */

const [, , path = '', secret = ''] = process.argv
const storage = await openFile(path)
const db = new Database(path, { readonly: true })
void storage.scrubSecrets([], [secret], 'links')
while (db.pragma('user_version', { simple: true }) === 0) await pause(1)
process.kill(process.pid, 'SIGKILL')
