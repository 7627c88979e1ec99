import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from './sqlite-file.ts'

const SRC = new URL('../../src/', import.meta.url)

/** Packages that a process has loaded when it has opened and closed this store. */
async function loadedBy(url: string, folder: string): Promise<string[]> {
  const script = join(folder, 'open.mjs')
  await writeFile(
    script,
    `
    import { createRequire } from 'node:module'
    await import('${new URL('hub.ts', SRC)}')
    const { openStore } = await import('${new URL('store/open.ts', SRC)}')
    const store = await openStore('${url}', { sameBytesWindow: 1 })
    await store[Symbol.asyncDispose]()
    const files = Object.keys(createRequire(import.meta.url).cache)
    console.log(JSON.stringify([...new Set(files.map((file) => file.split('/node_modules/').at(-1).split('/')[0]))]))`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  return JSON.parse(stdout)
}

test('When the store is a file, then neither the driver of PostgreSQL nor drizzle is loaded', async () => {
  using folder = temporaryFolder()
  const loaded = await loadedBy(`file:${folder.path}/store.db`, folder.path)
  expect(loaded).toContain('express')
  expect(loaded.filter((name) => /^pg|drizzle|electric/.test(name))).toEqual([])
})

test('When the store is a server, then its driver is loaded, and those of SQLite and PGlite are not', async () => {
  using folder = temporaryFolder()
  const loaded = await loadedBy('postgres://nobody@127.0.0.1:1/none', folder.path)
  expect(loaded).toContain('pg')
  expect(loaded.filter((name) => /better-sqlite3|electric/.test(name))).toEqual([])
})
