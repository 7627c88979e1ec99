import { expect, test } from 'vitest'
import type { ActRow } from '../../src/storage/rows.ts'
import { tillbridge } from '../cli/run.ts'
import { startTestHub } from '../hub.ts'

const KARI = 'token-of-kari-in-the-tests'

test('the audit names the holder of the token, whoever the client says to be', async () => {
  await using hub = await startTestHub({
    config: { server: { admins: { kari: KARI } } },
    destinations: { bus: { adapter: 'http', url: 'http://127.0.0.1:9', publish: 'all' } },
  })
  const as = { authorization: `Bearer ${KARI}`, 'x-operator': 'innocent colleague' }
  expect((await hub.admin('destinations/bus/pause', { reason: 'a test' }, as)).status).toBe(204)
  expect((await hub.admin('destinations/bus/resume', {}, { authorization: `Bearer ${KARI}` })).status).toBe(204)
  await hub.admin('destinations/bus/pause', {}, { 'x-operator': 'kari' })
  const acts = async (by?: string) =>
    (await hub.admin<{ acts: ActRow[] }>(`audit${by === undefined ? '' : `?by=${by}`}`)).body.acts.map((act) => act.by)
  expect(await acts()).toEqual(['admin (says kari)', 'kari', 'kari (says innocent colleague)'])
  expect(await acts('kari')).toEqual(['kari', 'kari (says innocent colleague)'])
  expect(await acts('k_ri')).toEqual([])
  expect(await acts('admin')).toEqual(['admin (says kari)'])
})

test('a token of nobody is refused, with the interface in status, and the command says so', async () => {
  await using hub = await startTestHub({ config: { server: { admins: { kari: KARI } } } })
  const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: KARI }
  expect(await tillbridge(['status'], env)).toMatchObject({ code: 0 })
  const refused = await tillbridge(['status'], { ...env, TILLBRIDGE_ADMIN_TOKEN: 'token-of-a-stranger' })
  expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/TILLBRIDGE_ADMIN_TOKEN/) })
  await hub.post('SaleCreated', {}, { token: 'wrong' })
  const { out } = await tillbridge(['status'], env)
  expect(out).toContain('Refused since the start: 2 wrong-token (at /admin 1, /webhooks 1)')
})

test.each([
  [{ kari: KARI, ola: KARI }, 'that of kari'],
  [{ admin: KARI }, 'another name'],
  [{ 'a (says b)': KARI }, 'a name of at most 40'],
])('admins that could be mistaken for each other are refused: %j', async (admins, words) => {
  await expect(startTestHub({ config: { server: { admins } } })).rejects.toThrow(words)
})
