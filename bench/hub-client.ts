import type { Readable } from 'node:stream'
import { type Dispatcher, Pool } from 'undici'

/** What the bench says to a hub, besides load. */
export interface HubClient extends AsyncDisposable {
  port: number
  /** Where the platform would send this kind. */
  webhookPath(kind: string): string
  isReady(): Promise<boolean>
  /** Asks `/admin/…`; with `post` it posts. */
  admin<Body>(path: string, post?: object): Promise<Body>
  /** Sends one webhook; whether it was accepted. */
  post(kind: string, payload: object): Promise<boolean>
  pause(destination: string): Promise<void>
  resume(destination: string): Promise<void>
  /** Deliveries that wait, per destination. */
  waiting(): Promise<Record<string, number>>
  /** A key for an own system. */
  createKey(system: string, scopes: string[]): Promise<string>
  /** What an own system submits to `/v1/<resource>`, and what is answered. */
  submit<Body>(
    resource: string,
    key: string,
    idempotencyKey: string,
    type: string,
    body: string | Readable,
  ): Promise<Body>
  submission<Body>(id: number, key: string): Promise<Body>
}

interface Status {
  destinations: { name: string; waiting: number }[]
}

export function createHubClient(port: number, adminToken: string, webhookToken: string): HubClient {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, headersTimeout: 10_000 })
  /** A long stream of lines is answered at its end, and what is small must not wait for it. */
  const submitting = new Pool(`http://127.0.0.1:${port}`, { connections: 4, headersTimeout: 300_000 })
  const headers = { authorization: `Bearer ${adminToken}` }
  return {
    port,
    webhookPath: (kind) => `/webhooks/${kind}/all?token=${webhookToken}`,
    admin: (path, post) =>
      ask(submitting, {
        method: post ? 'POST' : 'GET',
        path: `/admin/${path}`,
        headers: { ...headers, 'content-type': 'application/json' },
        body: post ? JSON.stringify(post) : null,
      }),
    async post(kind, payload) {
      const { statusCode, body } = await submitting.request({
        method: 'POST',
        path: `/webhooks/${kind}/all?token=${webhookToken}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      })
      await body.dump()
      return statusCode === 202
    },
    async isReady() {
      try {
        const { statusCode, body } = await pool.request({ method: 'GET', path: '/health/ready' })
        await body.dump()
        return statusCode === 200
      } catch {
        return false
      }
    },
    pause: (destination) => order(`/admin/destinations/${destination}/pause`),
    resume: (destination) => order(`/admin/destinations/${destination}/resume`),
    async waiting() {
      const { body } = await pool.request({ method: 'GET', path: '/admin/status', headers })
      const { destinations } = (await body.json()) as Status
      return Object.fromEntries(destinations.map(({ name, waiting }) => [name, waiting]))
    },
    async createKey(system, scopes) {
      const body = JSON.stringify({ system, may: scopes.join(',') })
      const asked = {
        method: 'POST',
        path: '/admin/keys',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      } as const
      return (await ask<{ key: string }>(pool, asked)).key
    },
    submit: (resource, key, idempotencyKey, type, body) =>
      ask(submitting, {
        method: 'POST',
        path: `/v1/${resource}`,
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey, 'content-type': type },
        body,
      }),
    submission: (id, key) =>
      ask(submitting, { method: 'GET', path: `/v1/submissions/${id}`, headers: { authorization: `Bearer ${key}` } }),
    async [Symbol.asyncDispose]() {
      await Promise.all([pool.close(), submitting.close()])
    },
  }

  async function order(path: string): Promise<void> {
    const { statusCode, body } = await pool.request({ method: 'POST', path, headers })
    const said = await body.text()
    if (statusCode >= 300) throw new Error(`POST ${path} was answered ${statusCode}: ${said}`)
  }
}

async function ask<Body>(pool: Pool, request: Dispatcher.RequestOptions): Promise<Body> {
  const { statusCode, body } = await pool.request(request)
  const said = await body.text()
  if (statusCode < 300) return JSON.parse(said) as Body
  throw new Error(`${request.method} ${request.path} was answered ${statusCode}: ${said}`)
}
