import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { request } from 'undici'
import { expect, test } from 'vitest'
import type { HealthItem } from '../../src/domain/health/health.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, createFolder, WEBHOOK_TOKEN } from '../hub.ts'
import { configured, startProgram } from './program.ts'

/** Writing to it says that the disk has no room. */
const FULL = '/dev/full'

test.skipIf(!existsSync(FULL))(
  'When the disk that the log goes to is full, then the hub takes what comes all the same, health says so, and it stops in order',
  async () => {
    await using folder = await createFolder()
    const port = String(await freePort())
    await using program = startProgram(await configured(folder.path, { port }), { stdout: openSync(FULL, 'w') })
    const url = `http://127.0.0.1:${port}`
    const send = () =>
      request(`${url}/webhooks/SaleCreated?token=${WEBHOOK_TOKEN}`, { method: 'POST', body: JSON.stringify(sale()) })
    await eventually(async () => expect((await send()).statusCode).toBeLessThan(300))

    const items = async () => {
      const { body } = await request(`${url}/admin/health`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
      return ((await body.json()) as { items: HealthItem[] }).items
    }
    await eventually(async () =>
      expect(await items()).toContainEqual(
        expect.objectContaining({ area: 'log', state: 'problem', means: expect.stringContaining('ENOSPC') }),
      ),
    )
    expect((await send()).statusCode).toBe(200)

    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
    expect(program.err()).toBe('')
  },
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
