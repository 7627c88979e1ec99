import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { close, ListenError, listen } from '../../src/app/traffic-switch.ts'

const HOST = '127.0.0.1'

/** What becomes of one who connects and asks: the status, or the code of the error. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect({ port, host: HOST })
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1')
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'failed'))
    socket.on('close', () => resolve(said.slice(9, 12) || 'closed'))
  })
}

test('When connections come without end while a server begins and ends, then each is answered or refused, and none is reset', async () => {
  const first = createServer((_, response) => response.end())
  const port = Number(new URL(await listen(first, { host: HOST, port: 0 })).port)
  await close(first, 1_000)
  const asked: Promise<string>[] = []
  let running = true
  const crowd = (async () => {
    while (running) {
      asked.push(ask(port), ask(port))
      await pause(2)
    }
  })()
  for (let round = 0; round < 20; round++) {
    const server = createServer((_, response) => response.end())
    await listen(server, { host: HOST, port })
    const from = asked.length
    while (asked.length < from + 40) await turn()
    await close(server, 5_000)
  }
  running = false
  await crowd

  const ends = Map.groupBy(await Promise.all(asked), (end) => end)
  expect([...ends.keys()].toSorted()).toEqual(['200', 'ECONNREFUSED'])
})

test('When somebody listens there already, another of its kind too, then it says so', async () => {
  const [one, other] = [createServer(), createServer()]
  const port = Number(new URL(await listen(one, { host: HOST, port: 0 })).port)
  for (const host of [HOST, '0.0.0.0'])
    await expect(listen(other, { host, port })).rejects.toThrow(
      new ListenError('another program listens there already'),
    )
  await close(one, 1_000)
  await listen(other, { host: HOST, port })
  await close(other, 1_000)
})
