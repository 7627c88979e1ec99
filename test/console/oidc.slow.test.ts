import { hash } from 'node:crypto'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { freePort } from '../../sandbox/demo/free-port.ts'
import type { Config } from '../../src/config/config.ts'
import type { ConsoleUser } from '../../src/storage/rows.ts'
import { openFile, startTestHub } from '../hub.ts'
import { type Accounts, startProvider } from './provider.ts'
import { createVisitor, PASSWORD, signIn } from './visitor.ts'
import { createWebBrowser, type WebBrowser } from './web-browser.ts'

const ACCOUNTS: Accounts = {
  'kari-7': { email: 'kari@example.com', roles: ['staff', 'retail-ops'] },
  'ola-8': { email: 'ola@example.com', roles: ['retail-ops', 'retail-admins', 'constructor'] },
  'per-9': { email: 'per@example.com', roles: ['constructor'] },
  'liv-1': { email: 'kari@example.com', email_verified: false, roles: 'retail-ops' },
}
const ROLES = { 'retail-ops': 'operator', 'retail-admins': 'admin' } as const

async function start(more: Partial<NonNullable<Config['console']['oidc']>> = {}, where?: 'userinfo') {
  await using opened = new AsyncDisposableStack()
  const provider = opened.use(await startProvider(ACCOUNTS, where))
  const { oidc, server, behaviour } = provider
  const hub = opened.use(
    await startTestHub({ config: { server, console: { oidc: { ...oidc, roles: ROLES, ...more } } } }),
  )
  const scope = opened.move()
  const browser = createWebBrowser()
  const callback = `${hub.url}/console/sign-in/oidc/callback`
  return {
    ...{ hub, behaviour, browser, callback, provider },
    /** Presses the button of the sign-in page. */
    signIn(account: string, { to = '/', by = browser, stopAt = '' } = {}) {
      behaviour.account = account
      return by.open(`${hub.url}/console/sign-in/oidc?${new URLSearchParams({ to })}`, { stopAt })
    },
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  }
}

/** Where the browser is sent to the provider, before it goes. */
async function authorizationOf(browser: WebBrowser, hubUrl: string, issuer: string): Promise<URL> {
  return new URL((await browser.open(`${hubUrl}/console/sign-in/oidc`, { stopAt: issuer })).url)
}

test('a user of the provider signs in, goes on to the page that was asked for, and is named by e-mail in the audit', async () => {
  await using world = await start()
  const { hub, browser } = world
  const asked = await browser.open(`${hub.url}/console/failures`)
  expect(asked.text).toContain(`href="${hub.url}/console/sign-in/oidc?to=%2Ffailures"`)
  expect(asked.text).toContain('Sign in with Fjord ID')
  expect(asked.text).not.toContain('users add')

  const page = await world.signIn('kari-7', { to: '/failures' })
  expect(page).toMatchObject({ status: 200, url: `${hub.url}/console/failures` })
  expect(page.text).toContain('kari@example.com')
  expect(browser.cookiesOf(hub.url)).toEqual([{ name: 'tillbridge', value: expect.any(String), isStrict: true }])
  const { users } = (await hub.admin<{ users: ConsoleUser[] }>('users')).body
  expect(users).toEqual([
    expect.objectContaining({ name: 'kari@example.com', role: 'operator', createdBy: 'oidc', disabledAt: null }),
  ])
  using db = openFile(hub.file)
  expect(db.prepare('select action, by, role, address from audit order by id').all()).toEqual(
    ['add-user', 'sign-in'].map((action) => ({
      ...{ action, by: 'kari@example.com', role: 'operator', address: action === 'sign-in' ? '127.0.0.1' : null },
    })),
  )
  expect(JSON.stringify(hub.lines)).not.toContain('secret-of-the-console')
})

test('the provider is asked with PKCE, state and nonce, and the browser keeps them sealed in a lax cookie', async () => {
  await using world = await start()
  const { hub, browser, provider } = world
  const asked = await authorizationOf(browser, hub.url, provider.oidc.issuer)
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    ...{ client_id: 'console', response_type: 'code', code_challenge_method: 'S256' },
    redirect_uri: world.callback,
    scope: 'openid profile email',
  })
  const [sealed] = browser.cookiesOf(hub.url)
  expect(sealed).toMatchObject({ name: 'tillbridge-oidc', isStrict: false })
  const bytes = Buffer.from(sealed?.value ?? '', 'base64url').toString('latin1')
  for (const name of ['state', 'nonce']) expect(bytes).not.toContain(asked.searchParams.get(name))
})

test('the role follows the provider at each sign-in, and of several mapped values the role that may do most counts', async () => {
  await using world = await start()
  const { hub, browser } = world
  await world.signIn('ola-8')
  expect((await browser.open(`${hub.url}/console/users`)).status).toBe(200)
  const before = ACCOUNTS['ola-8']
  try {
    ACCOUNTS['ola-8'] = { email: 'new@example.com', roles: ['retail-ops'] }
    await world.signIn('ola-8')
    expect((await browser.open(`${hub.url}/console/users`)).status).toBe(403)
    const { users } = (await hub.admin<{ users: ConsoleUser[] }>('users')).body
    expect(users.map(({ name, role }) => [name, role])).toEqual([['ola@example.com', 'operator']])
  } finally {
    ACCOUNTS['ola-8'] = before ?? {}
  }
})

test('somebody whom the mapping gives no role is refused with the name of the claim', async () => {
  await using world = await start()
  const page = await world.signIn('per-9')
  expect(page.status).toBe(401)
  expect(page.text).toContain('Fjord ID knows you, but its claim “roles” gives you no role here.')
  expect((await world.hub.admin<{ users: unknown[] }>('users')).body.users).toEqual([])
  expect((await world.browser.open(`${world.hub.url}/console/`)).url).toContain('/sign-in')
})

test('whoever lost their role at the provider is refused, and what they had open is closed', async () => {
  await using world = await start()
  const { hub, browser } = world
  await world.signIn('ola-8')
  const before = ACCOUNTS['ola-8']
  try {
    ACCOUNTS['ola-8'] = { email: 'ola@example.com', roles: [] }
    const other = await world.signIn('ola-8', { by: createWebBrowser() })
    expect(other.status).toBe(401)
    expect((await browser.open(`${hub.url}/console/`)).url).toContain('/sign-in')
  } finally {
    ACCOUNTS['ola-8'] = before ?? {}
  }
})

test('roles are found in the user info, and within another claim', async () => {
  await using world = await start({ rolesClaim: 'realm_access.roles' }, 'userinfo')
  ACCOUNTS['nested-2'] = { realm_access: { roles: ['retail-ops'] } }
  const page = await world.signIn('nested-2')
  expect(page.status).toBe(200)
  expect(page.text).toContain('nested-2')
})

test('an unverified e-mail, or one that is the name of a local user, is nobody’s name: the subject is', async () => {
  await using world = await start()
  await world.hub.admin('users', { name: 'ola@example.com', role: 'viewer', password: PASSWORD })
  await world.signIn('liv-1')
  await world.signIn('ola-8', { by: createWebBrowser() })
  const { users } = (await world.hub.admin<{ users: ConsoleUser[] }>('users')).body
  expect(users.map(({ name, role }) => [name, role])).toEqual([
    ['liv-1', 'operator'],
    ['ola-8', 'admin'],
    ['ola@example.com', 'viewer'],
  ])
})

test('nobody of the provider goes by the name of who has a token, whose acts the audit would confuse with theirs', async () => {
  await using provider = await startProvider({
    'kari-7': { email: 'kari@example.com', roles: ['retail-ops'] },
    admin: { email: 'ola@example.com', email_verified: 'false', roles: ['retail-ops'] },
    '..': { roles: ['retail-ops'] },
  })
  const { oidc, server, behaviour } = provider
  const admins = { 'kari@example.com': 'token-of-kari-in-the-tests' }
  await using hub = await startTestHub({
    config: { server: { ...server, admins }, console: { oidc: { ...oidc, roles: ROLES } } },
  })
  for (const account of ['kari-7', 'admin', 'admin', '..']) {
    behaviour.account = account
    expect((await createWebBrowser().open(`${hub.url}/console/sign-in/oidc`)).status).toBe(200)
  }
  const { users } = (await hub.admin<{ users: ConsoleUser[] }>('users')).body
  expect(users.map(({ name }) => name)).toEqual([`${oidc.issuer} ..`, `${oidc.issuer} admin`, 'kari-7'])
  // In an address `..` would be no name: they could not be shut out.
  await hub.admin(`users/${encodeURIComponent(`${oidc.issuer} ..`)}/disable`, {})
  expect((await createWebBrowser().open(`${hub.url}/console/sign-in/oidc`)).status).toBe(401)
})

test('a disabled user is shut out at once, and stays so after a new sign-in at the provider', async () => {
  await using world = await start()
  await world.signIn('kari-7')
  await world.hub.admin('users/kari@example.com/disable', {})
  expect((await world.browser.open(`${world.hub.url}/console/`)).url).toContain('/sign-in')
  const page = await world.signIn('kari-7')
  expect(page.status).toBe(401)
  expect(page.text).toContain('You are shut out here.')
})

test('a user of the provider has no password here: none is right', async () => {
  await using world = await start()
  await world.signIn('kari-7')
  for (const password of ['', ' ', 'scrypt'])
    expect((await createVisitor(world.hub).post('/sign-in', { name: 'kari@example.com', password })).status).toBe(401)
})

test('signing out ends the session', async () => {
  await using world = await start()
  const { hub, browser } = world
  await world.signIn('kari-7')
  const { value } = browser.cookiesOf(hub.url)[0] ?? { value: '' }
  const page = await browser.open(`${hub.url}/console/`)
  const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const headers = { cookie: `tillbridge=${value}`, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await hub.ask('/console/sign-out', {
    method: 'POST',
    headers: { ...headers, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token }).toString(),
  })
  expect(answer.status).toBe(303)
  expect((await browser.open(`${hub.url}/console/`)).url).toContain('/sign-in')
})

test('a callback with another state, without its cookie, with a changed cookie, or with another issuer is refused', async () => {
  await using world = await start()
  const { hub, browser, callback, behaviour } = world
  behaviour.account = 'kari-7'
  const refusedWith = async (change: (url: URL) => void) => {
    const back = new URL((await world.signIn('kari-7', { stopAt: callback })).url)
    change(back)
    const page = await browser.open(back.href, { from: world.provider.oidc.issuer })
    expect(page.status).toBe(401)
    expect(page.text).toContain('The sign-in at Fjord ID was not completed.')
    expect(browser.cookiesOf(hub.url)).toEqual([])
  }
  await refusedWith((url) => url.searchParams.set('state', 'another'))
  await refusedWith((url) => url.searchParams.delete('state'))
  await refusedWith((url) => url.searchParams.set('iss', 'https://evil.example'))
  await refusedWith((url) => url.searchParams.append('code', 'second'))
  await refusedWith(() => browser.setCookie(hub.url, 'tillbridge-oidc', ''))
  await refusedWith(() => browser.setCookie(hub.url, 'tillbridge-oidc', 'A'.repeat(300)))
  await refusedWith(() => {
    const { value } = browser.cookiesOf(hub.url)[0] ?? { value: '' }
    browser.setCookie(
      hub.url,
      'tillbridge-oidc',
      `${value.slice(0, 60)}${value[60] === 'A' ? 'B' : 'A'}${value.slice(61)}`,
    )
  })
  await refusedWith((url) => {
    url.search = new URLSearchParams({ error: 'access_denied', state: url.searchParams.get('state') ?? '' }).toString()
  })
  expect((await hub.admin<{ users: unknown[] }>('users')).body.users).toEqual([])
})

test('a sign-in that began at one hub is completed by another one of the same config', async () => {
  await using world = await start()
  const { oidc, server } = world.provider
  await using other = await startTestHub({
    config: { server: { publicUrl: server.publicUrl }, console: { oidc: { ...oidc, roles: ROLES } } },
  })
  const back = await world.signIn('kari-7', { stopAt: world.callback })
  const { value } = world.browser.cookiesOf(world.hub.url)[0] ?? { value: '' }
  world.browser.setCookie(other.url, 'tillbridge-oidc', value)
  const page = await world.browser.open(back.url.replace(world.hub.url, other.url), { from: oidc.issuer })
  expect(page).toMatchObject({ status: 200, url: `${other.url}/console/` })
})

test('a callback that is replayed, even with its cookie, is refused', async () => {
  await using world = await start()
  const { hub, browser, callback } = world
  const back = await world.signIn('kari-7', { stopAt: callback })
  const { value } = browser.cookiesOf(hub.url)[0] ?? { value: '' }
  expect((await browser.open(back.url, { from: world.provider.oidc.issuer })).url).toBe(`${hub.url}/console/`)
  const thief = createWebBrowser()
  expect((await thief.open(back.url)).status).toBe(401)
  thief.setCookie(hub.url, 'tillbridge-oidc', value)
  expect((await thief.open(back.url)).status).toBe(401)
})

test('an ID token with another nonce, or of another client, or with a wrong signature is refused', async () => {
  await using world = await start()
  const { hub, browser, behaviour, provider } = world
  behaviour.account = 'kari-7'
  const follow = async (change: (url: URL) => void) => {
    const asked = await authorizationOf(browser, hub.url, provider.oidc.issuer)
    change(asked)
    return { asked, page: await browser.open(asked.href, { from: hub.url }) }
  }
  expect((await follow((url) => url.searchParams.set('nonce', 'another'))).page.status).toBe(401)
  // A code of another client is not this one's.
  expect((await follow((url) => url.searchParams.set('client_id', 'other'))).page.status).toBe(401)

  // What the other client was given, with the nonce of this sign-in.
  const asked = await authorizationOf(browser, hub.url, provider.oidc.issuer)
  const verifier = 'verifier-of-the-other-client-0123456789-0123456789'
  const theirs = new URL(asked)
  theirs.searchParams.set('client_id', 'other')
  theirs.searchParams.set('code_challenge', hash('sha256', verifier, 'base64url'))
  const back = new URL((await createWebBrowser().open(theirs.href, { stopAt: world.callback })).url)
  const credentials = Buffer.from(`other:${provider.oidc.clientSecret}`).toString('base64')
  const answer = await request(`${provider.oidc.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '' },
      ...{ redirect_uri: world.callback, code_verifier: verifier },
    }).toString(),
  })
  await answer.body.dump()
  expect(answer.statusCode).toBe(200)
  behaviour.idToken = behaviour.lastIdToken
  expect(behaviour.idToken).not.toBeNull()
  expect((await browser.open(asked.href, { from: hub.url })).status).toBe(401)

  behaviour.idToken = null
  const right = await authorizationOf(browser, hub.url, provider.oidc.issuer)
  expect((await browser.open(right.href, { from: hub.url })).status).toBe(200)
  const whys = hub.lines.filter(({ msg }) => msg === 'console.oidc-failed').map(({ why }) => String(why))
  expect(whys).toEqual([
    expect.stringContaining('nonce'),
    expect.stringContaining('invalid_grant'),
    expect.stringContaining('aud'),
  ])
})

test('an ID token that is signed by somebody else is refused', async () => {
  await using world = await start()
  const { behaviour, hub } = world
  await world.signIn('kari-7')
  const [head = '', claims = '', signature = ''] = (behaviour.lastIdToken ?? '').split('.')
  const asked = await authorizationOf(world.browser, hub.url, world.provider.oidc.issuer)
  const forged = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), nonce: asked.searchParams.get('nonce') }
  behaviour.idToken = [head, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.')
  expect((await createWebBrowser().open(asked.href)).status).toBe(401)
  expect((await world.browser.open(asked.href, { from: hub.url })).status).toBe(401)
  expect(hub.lines.some(({ why }) => String(why).includes('signature'))).toBe(true)
})

test('a provider that is away, fails, or says that it is another one is named, and local users still sign in', async () => {
  await using world = await start()
  const { hub, behaviour, browser } = world
  const back = await world.signIn('kari-7', { stopAt: world.callback })
  behaviour.broken = true
  const broken = await browser.open(back.url, { from: world.provider.oidc.issuer })
  expect(broken.status).toBe(503)
  expect(broken.text).toContain('Fjord ID does not answer. Users of this hub can sign in all the same.')
  expect(await signIn(hub, 'viewer', 'local')).toBeDefined()
})

test('a provider that does not answer at all is named, and is asked again at the next attempt', async () => {
  const provider = await startProvider(ACCOUNTS)
  const { oidc, server } = provider
  await provider[Symbol.asyncDispose]()
  await using hub = await startTestHub({ config: { server, console: { oidc: { ...oidc, roles: ROLES } } } })
  const browser = createWebBrowser()
  for (let nth = 0; nth < 2; nth += 1) {
    const page = await browser.open(`${hub.url}/console/sign-in/oidc`)
    expect(page.status).toBe(503)
    expect(page.text).toContain('Fjord ID does not answer.')
  }
  expect(hub.lines.filter(({ msg }) => msg === 'console.oidc-failed')).toHaveLength(2)
  expect(await signIn(hub, 'viewer', 'local')).toBeDefined()
})

test('metadata of another issuer is not used', async () => {
  await using provider = await startProvider(ACCOUNTS)
  const { oidc, server } = provider
  const issuer = oidc.issuer.replace('localhost', '127.0.0.1')
  await using hub = await startTestHub({ config: { server, console: { oidc: { ...oidc, issuer, roles: ROLES } } } })
  expect((await createWebBrowser().open(`${hub.url}/console/sign-in/oidc`)).status).toBe(503)
  expect(hub.lines.some(({ why }) => String(why).includes('issuer'))).toBe(true)
})

test('an address of another site to go on to is not gone to', async () => {
  await using world = await start()
  for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example'])
    expect((await world.signIn('kari-7', { to, by: createWebBrowser() })).url).toBe(`${world.hub.url}/console/`)
})

test('a hub without its public address says that OIDC needs it', async () => {
  const oidc = { issuer: 'https://login.example', clientId: 'console', clientSecret: 'secret', roles: ROLES }
  await expect(startTestHub({ config: { console: { oidc } } })).rejects.toThrow(
    /server\.publicUrl.*console\.oidc needs it/s,
  )
  const server = { publicUrl: 'https://hub.example', admin: { port: 0 } }
  await expect(startTestHub({ config: { server, console: { oidc } } })).rejects.toThrow(/console\.publicUrl/)
})

test('where the console has a listener of its own, the provider sends the browser back there', async () => {
  await using provider = await startProvider(ACCOUNTS)
  const [port, { oidc, server }] = [await freePort(), provider]
  const consoleServer = { port, publicUrl: 'https://hub.example', admin: { port: server.port, host: '127.0.0.1' } }
  await using _ = await startTestHub({
    config: { server: consoleServer, console: { publicUrl: server.publicUrl, oidc: { ...oidc, roles: ROLES } } },
  })
  provider.behaviour.account = 'kari-7'
  const page = await createWebBrowser().open(`${server.publicUrl}/console/sign-in/oidc`)
  expect(page).toMatchObject({ status: 200, url: `${server.publicUrl}/console/` })
})
