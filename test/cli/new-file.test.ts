import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { printError, say, show, table } from '../../src/cli/shared/output.ts'
import type { AuditRow } from '../../src/storage/rows.ts'
import { writtenConfig } from '../app/written.ts'
import { openTestStore } from '../empty-store.ts'
import { customer } from '../fixtures/payloads.ts'
import { openDesk } from '../http/read-models/given.ts'
import { createFolder, startTestHub, type TestHub } from '../hub.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../small-disk.ts'
import { asking, tillbridge } from './run.ts'

const NOWHERE = /^\/nope\/x cannot be written \(ENOENT: .*\): name another file\.\n$/

const actionsOf = async (hub: TestHub) =>
  (await hub.admin<{ acts: AuditRow[] }>('audit')).body.acts.map(({ action }) => action)

test('When a file of a command cannot be made, then it says where and what to do, and the hub was asked for nothing', async () => {
  await using desk = await openDesk()
  const ask = asking(desk.hub, { TILLBRIDGE_KEY: desk.key })
  await desk.hub.post('CustomerCreated', customer({ email: 'ola@example.com' }))
  const before = await actionsOf(desk.hub)
  for (const args of [['people', 'erase', 'ola@example.com', '--reason', 'asked', '--proof-to', '/nope/x']])
    expect(await ask(...args), args.join(' ')).toEqual({ code: 2, out: '', err: expect.stringMatching(NOWHERE) })
  expect(await actionsOf(desk.hub)).toEqual(before)
  expect((await ask('people', 'find', 'ola@example.com')).out).toContain('payloads')
})

test('When a file is there already, then every command leaves it as it is, and what it makes is for its owner alone', async () => {
  await using desk = await openDesk()
  await using folder = await createFolder()
  const ask = asking(desk.hub)
  const kept = join(folder.path, 'kept')
  writeFileSync(kept, 'somebody’s')
  const already = { code: 2, out: '', err: `${kept} is there already: name a file that is not.\n` }
  expect(await ask('people', 'erase', 'ola@example.com', '--reason', 'asked', '--proof-to', kept)).toEqual(already)
  expect(readFileSync(kept, 'utf8')).toBe('somebody’s')
})

describe.skipIf(noSmallDisk !== null)(`a disk that is full${whyNoDisk}`, () => {
  test.each([[[]], [['--json']]])(
    'When it has no room for the proof of an erasure (%j), then the proof is printed, and said to be nowhere else',
    async (json) => {
      await using disk = mountSmallDisk(64 * 1024)
      await disk.ballast(64 * 1024)
      await using hub = await startTestHub()
      await hub.post('CustomerCreated', customer({ email: 'ola@example.com' }))
      const proof = join(disk.path, 'proof.json')
      const ended = await asking(hub)(
        ...['people', 'erase', 'ola@example.com', '--reason', 'asked', '--proof-to', proof, ...json],
      )
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('ENOSPC') })
      expect(ended.err).toContain('The person is erased all the same, and the proof is printed instead: keep it.')
      const printed = JSON.parse(ended.out.slice(ended.out.indexOf('{')))
      expect(json.length > 0 ? printed.proof : printed).toMatchObject({ pseudonym: expect.any(String) })
      expect(existsSync(proof)).toBe(false)
    },
  )

  test('When it has no room for a copy of the store, then the backup says so, and leaves nothing there', async () => {
    await using disk = mountSmallDisk(64 * 1024)
    await using config = await writtenConfig()
    await (await openTestStore(join(config.folder, 'hub.db')))[Symbol.asyncDispose]()
    const copy = join(await mkdtemp(join(disk.path, 'saved-')), 'copy.db')
    const ended = await tillbridge(['backup', copy], config.env)
    const err = `The copy cannot be written: no room left for ${copy}. Make room, or name a file elsewhere.\n`
    expect(ended).toEqual({ code: 2, out: '', err })
    expect(readdirSync(join(copy, '..'))).toEqual([])
  })
})

test('When another system wrote signs that steer a terminal, then a table shows one line a row, and none of them', () => {
  const shown = table(['what'], [['T-shirt\u001B[2J\u009B1A\r\nfake   row', 1]], 'none')
  expect(shown.split('\n')).toHaveLength(2)
  expect(shown.split('\n')[1]).toMatch(/^[^\p{Cc}]*$/u)
})

test('When a text, an error or JSON has such signs, then none is printed; lines, tabs and our own styles are', () => {
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
  const error = vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(text))
  try {
    const hostile = 'a\tb\n\u001b]0;x\u0007\u001b[2Jc\u202ed'
    say(hostile)
    printError(hostile)
    show(false, null, () => `\u001b[1mbold\u001b[22m ${hostile}`)
    show(true, { hostile: `\u009b${hostile}` }, () => '')
  } finally {
    log.mockRestore()
    error.mockRestore()
  }
  const [said, complained, shown, json = ''] = printed
  expect(said).toBe('a\tb\n\ufffd]0;x\ufffd\ufffd[2Jc\ufffdd')
  expect(complained).toBe(said)
  expect(shown).toBe(`\u001b[1mbold\u001b[22m ${said}`)
  expect(json).toMatch(/^[\n\x20-\x7e]*$/)
  expect(JSON.parse(json)).toEqual({ hostile: '\u009ba\tb\n\u001b]0;x\u0007\u001b[2Jc\u202ed' })
})
