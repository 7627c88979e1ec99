import { request } from 'undici'
import { expect, test } from 'vitest'
import { createTestClock } from '../clock.ts'
import { ADMIN_TOKEN, openFile, startTestHub } from '../hub.ts'
import { createVisitor, PASSWORD, signIn } from './visitor.ts'

const HOUR = 3_600_000

test('When there is no user yet, then the page says how to add one, and nobody is let in', async () => {
  await using hub = await startTestHub()
  const visitor = createVisitor(hub)
  expect(await visitor.get('/')).toMatchObject({ status: 303, to: '/console/sign-in' })
  const page = await visitor.get('/sign-in')
  expect(page.text).toContain('tillbridge users add')
  expect(page.headers['content-security-policy']).toBe(
    "default-src 'none';script-src 'self';connect-src 'self';style-src 'self';img-src 'self' data:;form-action 'self';frame-ancestors 'none';base-uri 'none'",
  )
  expect((await visitor.post('/sign-in', { name: 'admin', password: ADMIN_TOKEN })).status).toBe(401)
})

test('When a user signs in, then the cookie is strict, its secret is stored as a hash, and the audit has it', async () => {
  await using hub = await startTestHub()
  const visitor = await signIn(hub, 'operator', 'kari')
  const again = await visitor.post('/sign-in', { name: 'kari', password: PASSWORD, to: '/failures' })
  expect(again).toMatchObject({ status: 303, to: '/console/failures' })
  expect(again.headers['set-cookie']).toMatch(
    /^tillbridge=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  )
  using db = openFile(hub.file)
  const rows = JSON.stringify([
    db.prepare('select * from console_sessions').all(),
    db.prepare('select * from console_users').all(),
  ])
  expect(rows).not.toContain(visitor.cookie().split('=')[1])
  expect(rows).not.toContain(PASSWORD)
  expect(rows).toContain('scrypt$32768$8$3$')
  expect(db.prepare("select by, role, address from audit where action = 'sign-in'").all()).toEqual(
    Array(2).fill({ by: 'kari', role: 'operator', address: '127.0.0.1' }),
  )
})

test('When it comes by https, then the cookie is of this host alone', async () => {
  await using hub = await startTestHub({ config: { server: { trustProxy: ['127.0.0.1'] } } })
  await hub.admin('users', { name: 'kari', role: 'viewer', password: PASSWORD })
  const page = await createVisitor(hub).post(
    '/sign-in',
    { name: 'kari', password: PASSWORD },
    { 'x-forwarded-proto': 'https' },
  )
  expect(page.headers['set-cookie']).toMatch(/^__Host-tillbridge=.*; Secure$/)
})

test('When the address to go on to is of another site, then it is not gone to', async () => {
  await using hub = await startTestHub()
  await hub.admin('users', { name: 'kari', role: 'viewer', password: PASSWORD })
  for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', '/a\r\nx: y'])
    expect((await createVisitor(hub).post('/sign-in', { name: 'kari', password: PASSWORD, to })).to).toBe('/console/')
})

test('When passwords are guessed, then the name is shut for a while, and the right one is not tried', async () => {
  await using hub = await startTestHub()
  await hub.admin('users', { name: 'kari', role: 'viewer', password: PASSWORD })
  const visitor = createVisitor(hub)
  const tries = await Promise.all(
    Array.from({ length: 12 }, () => visitor.post('/sign-in', { name: 'kari', password: 'wrong password' })),
  )
  expect(tries.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), 429, 429])
  expect((await visitor.post('/sign-in', { name: 'kari', password: PASSWORD })).status).toBe(429)
  expect(JSON.stringify(hub.lines)).not.toContain('wrong password')
})

test('When a session is idle for an hour, or twelve hours old, then it is over', async () => {
  const clock = createTestClock()
  await using hub = await startTestHub({ clock })
  const [idle, busy] = [await signIn(hub, 'viewer', 'idle'), await signIn(hub, 'viewer', 'busy')]
  for (let hour = 0; hour < 13; hour += 1) {
    expect((await busy.get('/failures')).status, `after ${hour} h`).toBe(200)
    clock.advance(0.9 * HOUR)
  }
  expect((await idle.get('/failures')).status).toBe(303)
  clock.advance(0.4 * HOUR)
  expect((await busy.get('/failures')).status).toBe(303)
})

test('When a user is shut out, signs out, or gets a new password, then their sessions are over', async () => {
  await using hub = await startTestHub()
  const [one, other, third] = [
    await signIn(hub, 'viewer', 'one'),
    await signIn(hub, 'viewer', 'other'),
    await signIn(hub, 'viewer', 'third'),
  ]
  expect((await hub.admin('users/one/disable', {})).status).toBe(200)
  expect((await hub.admin('users/other/password', { password: 'another long one' })).status).toBe(200)
  await third.get('/')
  const before = third.cookie()
  expect((await third.post('/sign-out')).to).toBe('/console/sign-in')
  const stolen = await request(`${hub.url}/console/`, { headers: { cookie: before } })
  await stolen.body.dump()
  expect([(await one.get('/')).status, (await other.get('/')).status, stolen.statusCode]).toEqual([303, 303, 303])
  expect((await createVisitor(hub).post('/sign-in', { name: 'one', password: PASSWORD })).status).toBe(401)
})
