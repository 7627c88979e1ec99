import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret, writeKey } from '../../src/domain/access/api-key.ts'
import { SET_NAMES } from '../../src/domain/access/scope.ts'
import { asking, tillbridge } from '../cli/run.ts'
import { ADMIN_TOKEN, createFolder } from '../hub.ts'
import { createFileBefore } from '../store/migrations/before.ts'
import { type Counter, openCounter, order } from './submissions/given.ts'

/* A hub that starts on a file of the program before scopes. */

const SECRET = 'a'.repeat(43)
const ERP = '00000000000000e1'
const PIM = '00000000000000b1'
const GONE = '00000000000000f1'

function row(id: string, system: string, scopes: string, revokedAt: number | null) {
  return `('${id}', '${system}', '${scopes}', '${hashSecret(SECRET)}', 1, 'kari', null, ${revokedAt})`
}

const OLD_KEYS = `
  insert into api_keys (id, system, scopes, secret_hash, created_at, created_by, last_used_at, revoked_at) values
    ${[row(PIM, 'pim', 'products,prices', null), row(ERP, 'erp', 'products,orders', null), row(GONE, 'old', 'orders', 2)]}`

const opened = new AsyncDisposableStack()
let counter: Counter

beforeAll(async () => {
  const { path } = opened.use(await createFolder())
  createFileBefore('0008_scopes', join(path, 'tillbridge.db'), OLD_KEYS)
  const lookups = { customers: { tokens: ['token-of-the-till'] } }
  counter = opened.use(await openCounter({ folder: path, config: { mirror: 'all', lookups } }))
})
afterAll(() => opened.disposeAsync())

describe('a key that was made before scopes', () => {
  test('When it reads, then it reads every set, as before; a new one for the same does not', async () => {
    const fresh = await counter.keyOf('pim', 'products,prices')
    for (const set of SET_NAMES) {
      expect([set, (await counter.get(set, writeKey(PIM, SECRET))).status]).toEqual([set, 200])
      expect([set, (await counter.get(set, fresh.key)).status]).toEqual([set, 403])
    }
  })

  test('When it is for orders, then it changes and cancels those of every system, as before; others do not', async () => {
    const oms = await counter.keyOf('oms', 'orders')
    const fresh = await counter.keyOf('erp', 'products,orders')
    expect((await counter.submit('orders', order('B-1'), { as: oms.key })).status).toBe(202)
    const off = (as: string) => counter.submit('orders/B-1', '', { method: 'DELETE', as })
    expect((await off(fresh.key)).body.code).toBe('order-of-another')
    expect((await off(writeKey(PIM, SECRET))).body.code).toBe('key-may-not')
    const put = { method: 'PUT', as: writeKey(ERP, SECRET) }
    expect((await counter.submit('orders/B-1', order('B-1'), put)).status).toBe(202)
    expect((await off(writeKey(ERP, SECRET))).status).toBe(202)
  })

  test('When keys are listed, or the doctor looks, then it is told what it may, why, and what to do', async () => {
    const ofErp = `Key ${ERP} of erp may read everything and change every system's orders, because it was made before scopes.`
    const ofPim = `Key ${PIM} of pim may read everything, because it was made before scopes.`
    const anew = `make a new one with "tillbridge keys create erp --may products,orders" (and read:<set> for each set that it reads), then "tillbridge keys revoke ${ERP}"`

    const listed = await asking(counter.hub)('keys', 'list')
    expect(listed.out).toContain(`${ofErp} To do: ${anew}.`)
    expect(listed.out).toContain(ofPim)
    expect(listed.out).not.toContain(`Key ${GONE}`)

    const found = await examined()
    expect(found).toMatchObject({ state: 'note', todo: expect.stringContaining(anew) })
    expect(found.says).toBe(`${ofPim} ${ofErp}`)
  })

  test('When it is revoked, then nobody speaks of it any more', async () => {
    for (const id of [PIM, ERP]) await counter.hub.admin(`keys/${id}/revoke`, {})
    expect((await asking(counter.hub)('keys', 'list')).out).not.toContain('made before scopes')
    expect(await examined()).toMatchObject({ state: 'ok' })
  })
})

/** What the doctor finds of API keys. */
async function examined(): Promise<{ check: string; state: string; says: string; todo?: string }> {
  const path = join(counter.hub.folder, 'tillbridge.yaml')
  await writeFile(path, `server: { adminToken: "\${T}" }\nplatform: { webhooks: { tokens: ["\${T}"] } }\n`)
  const env = { TILLBRIDGE_URL: counter.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN, TILLBRIDGE_CONFIG: path }
  const { code, out } = await tillbridge(['doctor', '--json'], { ...env, T: 'a-token-for-this-test' })
  expect(code).toBe(0)
  return JSON.parse(out).findings.find(({ check }: { check: string }) => check === 'API keys')
}
