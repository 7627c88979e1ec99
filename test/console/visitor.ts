import { request } from 'undici'
import type { Role } from '../../src/domain/role.ts'
import type { TestHub } from '../hub.ts'

interface Page {
  status: number
  headers: Record<string, string>
  text: string
  /** Where it sends the browser. */
  to: string | null
}

/** A browser without a script: it keeps its cookie and fills forms with the token that the page has. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Page>
  post(path: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Page>
  cookie(): string
}

export const PASSWORD = 'correct horse battery'

/** Adds a user of this role and signs in. */
export async function signIn(hub: TestHub, role: Role, name: string = role): Promise<Visitor> {
  await hub.admin('users', { name, role, password: PASSWORD })
  const visitor = createVisitor(hub)
  const page = await visitor.post('/sign-in', { name, password: PASSWORD })
  if (page.status !== 303) throw new Error(`${name} may not sign in: ${page.status}`)
  return visitor
}

export function createVisitor(hub: Pick<TestHub, 'url'>): Visitor {
  let cookie = ''
  let token = ''

  async function ask(method: 'GET' | 'POST', path: string, body: string | null, headers: Record<string, string>) {
    const answer = await request(`${hub.url}/console${path}`, {
      method,
      headers: { ...(cookie !== '' && { cookie }), ...headers },
      body,
      // The hub hangs up on those it does not know.
      reset: true,
    })
    const text = await answer.body.text()
    const flat = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
    for (const set of [answer.headers['set-cookie'] ?? []].flat())
      if (/^(__Host-)?tillbridge=/.test(set)) cookie = set.split(';')[0] ?? ''
    token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? token
    return { status: answer.statusCode, headers: flat, text, to: flat.location ?? null }
  }

  return {
    get: (path, headers = {}) => ask('GET', path, null, headers),
    post(path, form = {}, headers = {}) {
      const body = new URLSearchParams({ ...(token !== '' && { token }), ...form }).toString()
      const own = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
      return ask('POST', path, body, { ...own, ...headers })
    },
    cookie: () => cookie,
  }
}
