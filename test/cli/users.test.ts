import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { VerifiedAudit } from '../../src/storage/audit-chain.ts'
import { createFolder, startTestHub } from '../hub.ts'
import { asking } from './run.ts'

test('When a user is added, then the password is made up and shown once, and one may get another or be shut out', async () => {
  await using hub = await startTestHub()
  const added = await asking(hub)('users', 'add', 'kari', '--role', 'operator')
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}\n$/) })
  expect((await asking(hub)('users', 'add', 'kari', '--role', 'viewer')).code).not.toBe(0)
  expect((await asking(hub)('users', 'add', 'ola', '--role', 'king')).code).not.toBe(0)
  const renewed = await asking(hub)('users', 'password', 'kari')
  expect(renewed.out).not.toBe(added.out)
  expect((await asking(hub)('users', 'disable', 'kari')).out).toContain('kari is shut out')
  const { out } = await asking(hub)('users', 'list')
  expect(out).toMatch(/kari +operator/)
  expect(JSON.stringify(hub.lines) + out).not.toContain(renewed.out.trim())
})

test('When an entry of the audit is edited or missing, then verifying finds it', async () => {
  await using folder = await createFolder()
  const file = `${folder.path}/tillbridge.db`
  let head = ''
  {
    await using hub = await startTestHub({
      folder: folder.path,
      destinations: { bus: { adapter: 'http', url: 'http://127.0.0.1:9/', publish: 'all' } },
    })
    for (const reason of ['one', 'two', 'three', 'four']) await hub.admin('destinations/bus/pause', { reason })
    const sound = await asking(hub)('audit', 'verify')
    expect(sound).toMatchObject({ code: 0, out: expect.stringContaining('none was edited, none is missing') })
    head = (await hub.admin<VerifiedAudit>('audit/verify')).body.head ?? ''
    expect((await asking(hub)('audit', 'verify', '--head', 'f00')).code).toBe(1)
  }
  const faultsAfter = async (statement: string) => {
    const db = new Database(file)
    db.exec(statement)
    db.close()
    await using hub = await startTestHub({ folder: folder.path })
    const { faults } = (await hub.admin<VerifiedAudit>(`audit/verify?head=${head}`)).body
    return faults
  }
  expect(await faultsAfter("update audit set reason = 'another' where reason = 'two'")).toEqual([
    { what: 'words', act: 2 },
  ])
  expect(await faultsAfter("update audit set reason = 'two' where reason = 'another'")).toEqual([])
  expect(await faultsAfter("update audit set by = 'ola' where id = 3")).toEqual([{ what: 'broken', act: 3, after: 2 }])
  expect(await faultsAfter("update audit set by = 'admin' where id = 3; delete from audit where id = 2")).toEqual([
    { what: 'broken', act: 3, after: 1 },
  ])
  expect(await faultsAfter('delete from audit where id >= 3')).toEqual([{ what: 'end' }, { what: 'head' }])
})
