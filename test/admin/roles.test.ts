import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rolesOf } from '../../src/admin/routes.ts'
import { ROUTES } from '../../src/console/routes.ts'
import { ROLES, type Role } from '../../src/domain/role.ts'
import { ROOT } from '../../tools/docker-context.ts'
import { tillbridge } from '../cli/run.ts'
import { eventually } from '../eventually.ts'
import { customer, endlessAisle, receipt, sale, saleCustomer } from '../fixtures/payloads.ts'
import { busTo, shareHub } from '../hub.ts'
import { startSink } from '../sink.ts'

const tokenOf = (role: Role) => `token-of-a-${role}-in-the-tests`
const sink = await startSink()

const hub = shareHub({
  destinations: { bus: busTo(sink.url) },
  config: {
    server: { admins: Object.fromEntries(ROLES.map((role) => [`the-${role}`, { token: tokenOf(role), role }])) },
  },
})

/** Every operation of /admin, as the source has it. */
const OPERATIONS = globSync('src/admin/*.ts', { cwd: ROOT }).flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\b(get|post|change)\(\s*(?:\w+,\s*)?'(\/[^']*)'/g)].map(
    ([, verb, path = '']) => ({ method: verb === 'get' ? ('get' as const) : ('post' as const), path }),
  ),
)

function ask(role: Role, { method, path }: { method: 'get' | 'post'; path: string }, given = {}) {
  const headers = { authorization: `Bearer ${tokenOf(role)}` }
  const to = path.slice(1).replaceAll(/:\w+/g, '999')
  // What is asked wrongly is refused with 400, 404 or 422, and changes nothing.
  return hub().admin<{ code?: string; detail?: string }>(
    to,
    method === 'get' ? undefined : { nonsense: true, ...given },
    headers,
  )
}

test('the source has every operation', () => {
  expect(OPERATIONS.length).toBeGreaterThanOrEqual(75)
})

test.each(ROLES)('a token of the role %s may ask what the table says, and nothing else', async (role) => {
  const asked = OPERATIONS.filter(({ path }) => path !== '/doctor')
  const refused = []
  for (const operation of asked)
    if ((await ask(role, operation)).status === 403) refused.push(`${operation.method} ${operation.path}`)
  const wanted = asked.filter((operation) => !rolesOf(operation).includes(role))
  expect(refused.sort()).toEqual(wanted.map(({ method, path }) => `${method} ${path}`).sort())
  expect(refused.length > 0).toBe(role !== 'admin')
})

test('a refusal says who may, and the audit has it; personal data is for those who help customers', async () => {
  await hub().post('SaleCreated', sale())
  const refused = await ask('viewer', { method: 'post', path: '/destinations/bus/pause' })
  expect(refused.body).toMatchObject({
    code: 'role-may-not',
    detail:
      'A token of the role viewer may not ask POST /admin/destinations/:name/pause: operator, admin may (server.admins).',
  })
  const { acts } = (await hub().admin<{ acts: { by: string; role: string; refused: string }[] }>('audit?by=the-viewer'))
    .body
  expect(acts).toContainEqual(
    expect.objectContaining({ by: 'the-viewer', role: 'viewer', refused: refused.body.detail }),
  )

  const looked = (role: Role, path: string) => ask(role, { method: 'get', path })
  expect((await looked('viewer', '/find?q=4711')).status).toBe(200)
  expect((await looked('viewer', '/find?q=4711&reveal=true')).status).toBe(403)
  expect((await looked('support', '/find?q=4711&reveal=true')).status).not.toBe(403)
  expect((await looked('finance', '/deliveries?reveal=true')).status).toBe(403)
})

/** Someone whose name, address and number nobody else has. */
const CANARY = {
  ...{ firstName: 'Canarina', lastName: 'Fuglesang', email: 'canary@example.com', phone: '90087654' },
  ...{ address1: 'Kanariveien 7', city: 'Kanaribyen' },
}

test.each(['viewer', 'finance'] as const)('no answer that a %s may have is about a person', async (role) => {
  sink.play({
    status: 400,
    body: JSON.stringify({ errors: [{ field: 'customer', message: Object.values(CANARY).join() }] }),
  })
  await hub().post('SaleCreated', sale({ receiptNo: `canary ${role}`, customer: { ...customer(CANARY) } }))
  await hub().post('CustomerUpdated', customer({ ...CANARY, customerId: 77 }))
  await hub().post('SendReceipt', receipt({ recipient: CANARY.email, recipientName: 'Canarina Fuglesang' }))
  await hub().post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ customer: saleCustomer(CANARY) }))
  await eventually(async () => {
    const { deliveries } = (await hub().admin<{ deliveries: { state: string }[] }>('deliveries?state=dead')).body
    expect(deliveries.length).toBeGreaterThanOrEqual(4)
  })
  const reads = OPERATIONS.filter((one) => one.method === 'get' && rolesOf(one).includes(role))
  const asked = reads.flatMap(({ path }) =>
    path.includes(':')
      ? [1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => path.replaceAll(/:\w+/g, String(id)))
      : [path, `${path}?q=canary@example.com`, `${path}?q=Fuglesang`, `${path}?q=90087654`],
  )
  let answered = 0
  for (const path of asked) {
    const { status, text } = await hub().admin(path.slice(1), undefined, { authorization: `Bearer ${tokenOf(role)}` })
    if (status === 200) answered += 1
    // What was asked for stands in the answer to the question.
    const words = Object.values(CANARY).filter((word) => !path.includes(word))
    for (const word of words) expect(text.includes(word), `${path}: ${word}`).toBe(false)
  }
  expect(answered).toBeGreaterThan(25)
})

test('the command line says what a role may not', async () => {
  const env = { TILLBRIDGE_URL: hub().url, TILLBRIDGE_ADMIN_TOKEN: tokenOf('viewer') }
  expect((await tillbridge(['status'], env)).out).toContain('bus')
  const { code, err } = await tillbridge(['pause', 'bus', '--reason', 'a test'], env)
  expect(code).not.toBe(0)
  expect(err).toContain('operator, admin may (server.admins)')
})

test('a role that may act at the console may do it by a token; the release of a settlement alone is the console’s', () => {
  const both = ROUTES.filter(({ method, path }) =>
    OPERATIONS.some((one) => one.method.toUpperCase() === method && one.path === path),
  )
  expect(both.length).toBeGreaterThan(15)
  for (const { method, path, roles } of both.filter(({ method }) => method === 'POST'))
    expect(rolesOf({ method: method.toLowerCase() as 'post', path }), `${method} ${path}`).toEqual(roles)
})
