import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { FoundPerson } from '../../../../src/privacy/report.ts'
import { asking } from '../../../cli/run.ts'
import { eventually } from '../../../eventually.ts'
import { createFolder, keptIn, startTestHub } from '../../../hub.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES, erase, kariBuysForZeb, runSql, ZEB } from '../zeb.ts'

/** What fails, as a full disk would have it, in the order in which an erasure comes to it. */
const FAILING = ['update on deliveries', 'update on payloads', 'delete on customers', 'delete on search_keys']

for (const what of FAILING)
  test(`When an erasure is cut off at the ${what}, then the same command finds the person and ends it`, async () => {
    await using hub = await aHubThatKnowsZeb()
    const before = (await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body
    expect(before.events).toBe(6)

    runSql(hub.file, `create trigger cut before ${what} begin select raise(abort, 'the disk is full'); end`)
    const cut = await erase(hub)
    expect(cut.status).toBeGreaterThanOrEqual(500)
    runSql(hub.file, 'drop trigger cut')
    expect((await asking(hub)('audit', 'list', '--action', 'people erase')).out).toMatch(/erased-[0-9a-f]{8}.*begun/)

    expect((await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body.events).toBeGreaterThan(0)
    const again = await erase(hub)
    expect(again).toMatchObject({ status: 200, body: { proof: { secondPass: { found: 0 } } } })
    expect(bytesWith(hub)).toEqual([])
    expect((await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body).toMatchObject({
      events: 0,
      touched: {},
    })
  })

test('When an erasure is cut off in rows of others, then the same command still knows the address and the number there, and ends it', async () => {
  await using hub = await aHubThatKnowsZeb()
  const id = await kariBuysForZeb(hub)

  runSql(
    hub.file,
    `create trigger cut before update on payloads when old.event_id = ${id} begin select raise(abort, 'full'); end`,
  )
  expect((await erase(hub)).status).toBeGreaterThanOrEqual(500)
  runSql(hub.file, 'drop trigger cut')
  // As if it had been cut off a moment later: nothing is found by the person any more.
  runSql(hub.file, 'delete from search_keys')
  const { out } = await asking(hub)('audit', 'list', '--action', 'people erase')
  const [pseudonym = '?'] = /erased-[0-9a-f]{8}/.exec(out) ?? []
  expect(out).not.toContain('sealed')
  expect(bytesWith(hub, ['zebedaeus@canary.example.com', '41239876']).length).toBeGreaterThan(0)
  expect(bytesWith(hub, ['"sealed":"']).length).toBeGreaterThan(0)

  expect((await asking(hub)('people', 'find', ZEB.email)).out).toMatch(new RegExp(`${pseudonym} has not ended`))
  const again = await erase(hub)
  expect(again).toMatchObject({ status: 200, body: { proof: { pseudonym, secondPass: { found: 0 } } } })
  expect(bytesWith(hub, [...CANARIES, '"sealed":"'])).toEqual([])
  const left = keptIn(hub).find((kept) => kept.id === id)
  expect(String(left?.body)).toMatch(/kari@example\.com/)
  expect(String(left?.body)).toContain(pseudonym)
  expect((await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body).toMatchObject({
    begun: null,
    events: 0,
  })
})

test.skipIf(process.platform !== 'linux')(
  'An erasure the search of which is killed, and the hub of which is started anew, is ended by the same command',
  async () => {
    await using folder = await createFolder()
    await using before = await aHubThatKnowsZeb({ folder: folder.path })
    const cut = erase(before)
    await killSearch()
    expect((await cut).status).toBeGreaterThanOrEqual(500)
    await before[Symbol.asyncDispose]()

    await using hub = await startTestHub({ folder: folder.path })
    expect((await hub.admin<FoundPerson>('people/find', { who: ZEB.email })).body.begun).not.toBe(null)
    expect(await erase(hub)).toMatchObject({ status: 200, body: { proof: { secondPass: { found: 0 } } } })
    expect(bytesWith(hub, [...CANARIES, '"sealed":"'])).toEqual([])
  },
)

/** Kills the process that searches the bytes, as soon as there is one. */
async function killSearch(): Promise<void> {
  const searching = await eventually(
    () => childrenOf().find((pid) => commandOf(pid).includes('process.ts\0search')) ?? false,
  )
  process.kill(searching, 'SIGKILL')
}

function childrenOf(): number[] {
  const said = readdirSync('/proc/self/task').map((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8'),
  )
  return said.join(' ').split(' ').filter(Boolean).map(Number)
}

function commandOf(pid: number): string {
  return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
}
