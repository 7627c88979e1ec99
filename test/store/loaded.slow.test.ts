import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from './sqlite/file.ts'

const SRC = new URL('../../src/', import.meta.url)

/** Packages that a process has loaded when it has opened and closed the first of these stores, when it has the second, and so on. */
async function loadedBy(urls: string[], folder: string): Promise<string[][]> {
  const script = join(folder, 'open.mjs')
  await writeFile(
    script,
    `
    import { createRequire } from 'node:module'
    await import('${new URL('hub.ts', SRC)}')
    const { openStore } = await import('${new URL('store/open.ts', SRC)}')
    const loaded = []
    for (const url of ${JSON.stringify(urls)}) {
      const store = await openStore(url, { sameBytesWindow: 1 })
      await store[Symbol.asyncDispose]()
      const files = Object.keys(createRequire(import.meta.url).cache)
      loaded.push([...new Set(files.map((file) => file.split('/node_modules/').at(-1).split('/')[0]))])
    }
    console.log(JSON.stringify(loaded))`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  return JSON.parse(stdout)
}

test('When a store is opened, then the driver of PostgreSQL and drizzle are loaded for a server alone, and those of SQLite and PGlite for none', async () => {
  using folder = temporaryFolder()
  const urls = [`file:${folder.path}/store.db`, 'postgres://nobody@127.0.0.1:1/none']
  const [ofFile = [], ofServer = []] = await loadedBy(urls, folder.path)
  expect(ofFile).toContain('express')
  expect(ofFile.filter((name) => /^pg|drizzle|electric/.test(name))).toEqual([])
  expect(ofServer).toContain('pg')
  expect(ofServer.filter((name) => /better-sqlite3|electric/.test(name))).toEqual([])
})
