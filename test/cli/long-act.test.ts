import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { expect, test } from 'vitest'
import { createClient } from '../../src/cli/shared/client.ts'

test('When an act takes longer than a question may, then the command waits for what came of it: a proof is given once', async () => {
  const asked: ServerResponse[] = []
  const server = createServer((_, response) => void asked.push(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const before = getGlobalDispatcher()
  const impatient = new Agent({ headersTimeout: 50 })
  setGlobalDispatcher(impatient)
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = await createClient({ TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: 'x' })
    const acting = client.post('/admin/people/erase', { who: 'ola@example.com' })
    acting.catch(() => {})
    await once(server, 'request')
    await expect(client.get('/admin/status')).rejects.toThrow('Headers Timeout')
    asked[0]?.end('{"proof":"of it"}')
    expect(await acting).toEqual({ proof: 'of it' })
  } finally {
    setGlobalDispatcher(before)
    await impatient.destroy()
    server.closeAllConnections()
    server.close()
  }
})
