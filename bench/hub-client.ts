import { Pool } from 'undici'

/** What the bench says to a hub, besides load. */
export interface HubClient extends AsyncDisposable {
  port: number
  /** Where the platform would send this kind. */
  webhookPath(kind: string): string
  isReady(): Promise<boolean>
  pause(destination: string): Promise<void>
  resume(destination: string): Promise<void>
  /** Deliveries that wait, per destination. */
  waiting(): Promise<Record<string, number>>
}

interface Status {
  destinations: { name: string; waiting: number }[]
}

export function createHubClient(port: number, adminToken: string, webhookToken: string): HubClient {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, headersTimeout: 10_000 })
  const headers = { authorization: `Bearer ${adminToken}` }
  return {
    port,
    webhookPath: (kind) => `/webhooks/${kind}/all?token=${webhookToken}`,
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
    [Symbol.asyncDispose]: () => pool.close(),
  }

  async function order(path: string): Promise<void> {
    const { statusCode, body } = await pool.request({ method: 'POST', path, headers })
    const said = await body.text()
    if (statusCode >= 300) throw new Error(`POST ${path} was answered ${statusCode}: ${said}`)
  }
}
