import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { createFolder, WEBHOOK_TOKEN } from '../hub.ts'
import { startHubProcess } from './hub-process.ts'
import { tell } from './tell.ts'

test('When the process is told to stop while calls hang and a sender dawdles, then it ends within 10 s, and nothing is lost', async () => {
  await using folder = await createFolder()
  const received: string[] = []
  let hangs = true
  const sink = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    if (!hangs) response.end()
    request.resume()
  }).listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`
  const options = {
    folder: folder.path,
    destinations: { bus: { adapter: 'http', url, publish: 'all', queue: { timeout: '1m' } } },
  }
  try {
    {
      await using hub = await startHubProcess(options)
      for (let no = 0; no < 10; no += 1)
        expect(await hub.post('SaleCreated', sale({ receiptNo: String(no) }))).toBe(202)
      await eventually(() => received.length === 4)
      const dawdler = connect(Number(new URL(hub.url).port), '127.0.0.1')
      dawdler.on('error', () => {})
      dawdler.write(
        `POST /webhooks/SaleCreated?token=${WEBHOOK_TOKEN} HTTP/1.1\r\nhost: hub\r\ncontent-length: 99\r\n\r\n{`,
      )
      const from = performance.now()
      expect(await hub.stop('SIGTERM')).toBe(0)
      const ms = Math.round(performance.now() - from)
      tell({ stoppedAfterMs: ms })
      expect(ms).toBeLessThan(10_000)
      dawdler.destroy()
    }
    hangs = false
    await using hub = await startHubProcess(options)
    await eventually(() => new Set(received).size === 10, 20_000)
    await hub.untilIdle()
  } finally {
    sink.close()
    sink.closeAllConnections()
  }
})
