import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openPlace, PLACES, type Place } from '../../archive/kit.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock, type TestClock } from '../../clock.ts'
import { ADMIN_TOKEN, type TestHub } from '../../hub.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES, erase, withoutHashes, ZEB } from './zeb.ts'

const DAY = 24 * 3_600_000
const KEEP = 400

/** A hub that has put all that it knew of Zeb into its archive. */
async function archivedZeb({ options }: Place, clock: TestClock): Promise<TestHub> {
  const hub = await aHubThatKnowsZeb({ clock, retention: { archive: { ...options, keep: `${KEEP}d` } } })
  await hub.admin('events/dismiss', { filter: { state: 'unrouted' }, reason: 'x' })
  clock.advance(91 * DAY)
  await hub.admin('jobs/retention/run', {})
  return hub
}

/** The commands that read the files of an archive, which config names. */
function reading(place: Place, { url }: TestHub) {
  return (...args: string[]) => place.ask(args, { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
}

describe.each(PLACES)('an archive (%s)', (sort) => {
  test('When a person is erased after their events were archived, then what is read of the archive says nothing of them, and of others all', async () => {
    await using place = await openPlace(sort)
    const hub = await archivedZeb(place, createTestClock())
    await using _ = hub
    const ask = reading(place, hub)
    const whole = async () => {
      let all = ''
      for (const { file } of place.lines()) all += (await ask('archive', 'restore', file)).out
      return all
    }
    const before = await whole()
    expect(CANARIES.filter((text) => before.includes(text)).length).toBeGreaterThan(3)

    const erased = (await erase(hub, ZEB.email, { skipOpen: true })).body
    const after = await whole()
    expect(CANARIES.filter((text) => after.toLowerCase().includes(text.toLowerCase()))).toEqual([])
    expect(after).not.toContain(String(ZEB.customerId))
    expect(after).toContain(erased.proof?.pseudonym)
    expect(after.split('\n')).toHaveLength(before.split('\n').length)
    for (const line of before.split('\n').filter((one) => one.includes('kari.nordmann@example.com')))
      expect(after).toContain(line)
    expect((await ask('archive', 'search', 'Qvistgaardsen', '--json')).out).not.toMatch(/4790001|zebed/i)
    const [noted = '', ...more] = readdirSync(join(place.path, 'erasures'))
    expect([noted, more]).toEqual([`${erased.proof?.pseudonym}.json`, []])
    const erasures = withoutHashes(readFileSync(join(place.path, 'erasures', noted), 'utf8'))
    expect(erasures).not.toMatch(/zebed|qvist|canary|4123|kanari|4790001/i)
    const large = { id: 1, kind: 'SaleCreated', receivedAt: 0, identity: null, transportKey: null }
    const body = { text: JSON.stringify({ receiptNo: '1', note: 'x'.repeat(300_000) }) }
    const answer = await hub.admin('people/archived', { events: [{ ...large, body }] })
    expect(answer).toMatchObject({ status: 200, body: { events: [{ id: 1 }] } })
  })

  test('When the hub that knows of whom an erasure is does not answer, then nothing of the archive is read', async () => {
    await using place = await openPlace(sort)
    const hub = await archivedZeb(place, createTestClock())
    const ask = reading(place, hub)
    await erase(hub, ZEB.email, { skipOpen: true })
    await hub[Symbol.asyncDispose]()
    const { out, err } = await ask('archive', 'restore', place.lines()[0]?.file ?? '')
    expect(err).toContain('No hub answers')
    expect(out).toBe('')
  })

  test('When files of the archive have had their time, then the nightly job takes them, says so, and those under a legal hold stay', async () => {
    await using place = await openPlace(sort)
    const clock = createTestClock()
    const hub = await archivedZeb(place, clock)
    await using _ = hub
    const run = asking(hub)
    const [held, ...others] = place.lines()
    expect(others.length).toBeGreaterThan(1)
    await hub.admin('retention/hold', { events: [held?.first], reason: 'a case' })
    const { out } = await run('people', 'find', ZEB.email)
    expect(out).toMatch(/until they expire: .*SaleCreated.*\(\d{4}-\d\d-01\)|until they expire: .*\(\d{4}-\d\d-\d\d\)/)
    expect((await run('retention', 'plan')).out).toMatch(
      /Of the archive, no file has expired; the next does on \d{4}-\d\d-\d\d/,
    )

    clock.advance((KEEP + 31) * DAY)
    expect((await run('retention', 'plan')).out).toMatch(
      new RegExp(`Of the archive, ${others.length} files \\(.+\\) have expired`),
    )
    await hub.admin('jobs/retention/run', {})
    expect(others.map(({ file }) => existsSync(join(place.path, file)))).toEqual(others.map(() => false))
    expect(place.lines().map(({ file }) => file)).toContain(held?.file)
    expect(place.lines().filter(({ file }) => others.some((one) => one.file === file))).toEqual([])
    expect((await run('audit', 'list', '--action', 'archive expire')).out).toMatch(/job retention/)
    expect(bytesWith(hub).length).toBeGreaterThan(0)
  })
})
