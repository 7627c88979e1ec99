import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { startHubProcess } from '../kill/hub-process.ts'
import { listen } from '../listen.ts'
import { saleNo } from './kit/kit.ts'

/** A receiver that takes its time, so that calls are always out. */
async function startSlowSink() {
  const started: string[] = []
  const answered: string[] = []
  const sink = { delay: 400, started, answered }
  const server = await listen((request, response) => {
    const id = String(request.headers['webhook-id'])
    request.resume().on('end', () => {
      started.push(id)
      setTimeout(() => response.end(() => answered.push(id)), sink.delay)
    })
  })
  return Object.assign(sink, { url: `${server.url}/`, [Symbol.asyncDispose]: server[Symbol.asyncDispose] })
}

test('When the process is told to stop under load, then what is under way finishes, and nothing acknowledged is lost or sent twice', async () => {
  await using folder = await createFolder()
  await using sink = await startSlowSink()
  const config = {
    folder: folder.path,
    destinations: { bus: { adapter: 'http', url: sink.url, publish: 'all', queue: { concurrency: 8 } } },
  }
  const acknowledged: string[] = []
  let stopping = false
  let afterClose = 0
  {
    await using hub = await startHubProcess(config)
    let no = 0
    const sender = async () => {
      for (;;) {
        no += 1
        const receiptNo = `R${no}`
        const status = await hub.post('SaleCreated', saleNo(receiptNo)).catch(() => null)
        if (status === 202) acknowledged.push(receiptNo)
        if (status === 202 && hub.exited) afterClose += 1
        if (status === null && stopping) return
        await pause(20)
      }
    }
    const senders = Array.from({ length: 6 }, sender)
    await eventually(() => sink.started.length >= 20)
    stopping = true
    const from = performance.now()
    expect(await hub.stop('SIGTERM')).toBe(0)
    expect(performance.now() - from).toBeLessThan(10_000)
    await Promise.all(senders)
    expect(sink.answered).toHaveLength(sink.started.length)
  }
  expect(acknowledged.length).toBeGreaterThan(20)
  expect(afterClose).toBe(0)

  sink.delay = 0
  {
    await using hub = await startHubProcess(config)
    await hub.untilIdle()
  }
  const ids = new Set(sink.started)
  for (const receiptNo of acknowledged) expect(ids).toContain(`SaleCreated:101/3/${receiptNo}/2026-11-20:publish`)
  // Each result was written before the process ended, so none was sent again.
  expect(sink.started).toHaveLength(ids.size)
})
