import { expect, test } from 'vitest'
import { OWN_VERSION } from '../../src/lib/own-version.ts'
import { startTestHub } from '../hub.ts'
import { listen } from '../listen.ts'
import { asking } from './run.ts'

/** Answers what a hub of another version answers, by path; whatever else it is asked for, it does not know. */
async function otherHub(answers: Record<string, object>) {
  const asked: string[] = []
  const server = await listen(({ url = '', method }, response) => {
    const [path = ''] = url.split('?')
    asked.push(path)
    const answer = answers[path] ?? {
      status: 404,
      code: 'not-found',
      title: 'Not found',
      detail: `There is no ${method} ${path} here.`,
    }
    response.writeHead(path in answers ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  return {
    ...server,
    asked,
  }
}

const NOTHING = {
  destinations: [],
  events: { unrouted: 0, quarantined: 0, conflicts: 0, reusedKeys: { count: 0, last: null } },
  requests: { connections: 1, inHand: 0, refused: {} },
  aside: [],
}

test('When a hub is of another version, then status names both', async () => {
  await using other = await otherHub({
    '/admin/health': { items: [], alarms: null, status: { ...NOTHING, version: '9.9.9' } },
  })

  const { out } = await asking(other)('status')

  expect(out).toContain(`This hub is Tillbridge 9.9.9; this command is of ${OWN_VERSION}.`)
})

test('When a hub does not know what a command asks, then it says that their versions differ, not what path is missing', async () => {
  await using older = await otherHub({})

  const { code, err } = await asking(older)('audit', 'list')

  expect(code).toBe(2)
  expect(err).toBe(
    `The hub at ${older.url} does not know GET /admin/audit, which this command (Tillbridge ${OWN_VERSION}) asks: it is of another version. Use the command of that version, or update the hub.\n`,
  )
})

test('When status is asked, then the hub counts its store once for all of it', async () => {
  await using hub = await startTestHub()
  const all = await asking(hub)('status', '--json')
  expect(JSON.parse(all.out)).toMatchObject({ version: OWN_VERSION, health: expect.any(Array), destinations: [] })

  await using one = await otherHub({
    '/admin/health': { items: [], alarms: null, status: { ...NOTHING, version: OWN_VERSION } },
  })
  await asking(one)('status')
  expect(one.asked).toEqual(['/admin/health'])
})
