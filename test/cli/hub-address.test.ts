import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { template } from '../../src/cli/push.ts'
import { writtenConfig } from '../app/written.ts'
import { openDesk } from '../http/read-models/given.ts'
import { ADMIN_TOKEN, createFolder, startTestHub } from '../hub.ts'
import { listen } from '../listen.ts'
import { tillbridge } from './run.ts'

const KEY = { TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN, TILLBRIDGE_KEY: 'tb_key' }

const CLIENTS = (file: string) => [['status'], ['health'], ['push', 'stock', file, '--retries', '0', '--dry-run']]

async function fileIn(folder: string): Promise<string> {
  const file = join(folder, 'stock.csv')
  await writeFile(file, await template('stock'))
  return file
}

test.each([
  '127.0.0.1:38080',
  'localhost:38080',
  'hub.example.com',
  'ftp://hub.example.com',
  'http://hub.example.com?a=b',
  'http://ola:secret-of-ola@hub.example.com',
  'http://',
])('When TILLBRIDGE_URL is %s, then every command says how to write it, and gives away nothing of it', async (url) => {
  await using folder = await createFolder()
  for (const args of CLIENTS(await fileIn(folder.path)))
    expect(await tillbridge(args, { ...KEY, TILLBRIDGE_URL: url }), args.join(' ')).toEqual({
      ...{ code: 2, out: '' },
      err: 'TILLBRIDGE_URL is no address of a hub: write it as https://hub.example.com, with its path where it has one, and without user, password or query.\n',
    })
  const { out } = await tillbridge(['doctor'], { ...KEY, TILLBRIDGE_URL: url })
  expect(out).toContain('TILLBRIDGE_URL is no address of a hub')
})

test('When a hub stands behind a path, then every command asks below it, and the root hears of no token', async () => {
  await using desk = await openDesk()
  await using proxy = await behindPath('/shops/hub', desk.hub.url)
  await using folder = await createFolder()
  const file = await fileIn(folder.path)
  for (const end of ['', '/', '//']) {
    const env = { ...KEY, TILLBRIDGE_KEY: desk.key, TILLBRIDGE_URL: `${proxy.url}/shops/hub${end}` }
    for (const args of [['status'], ['health']])
      expect(await tillbridge(args, env), args.join(' ')).toMatchObject({ code: 0 })
    await tillbridge(['push', 'stock', file, '--retries', '0', '--dry-run'], env)
  }
  expect(proxy.elsewhere).toEqual([])
  expect(new Set(proxy.below)).toEqual(new Set(['/admin/health', '/health/ready', '/v1/stock-adjustments']))
})

describe('a hub that listens on an address of IPv6', () => {
  test.each(['::1', '::'])(
    'When server.host is "%s", then the hub says where, and the commands find it',
    async (host) => {
      await using hub = await startTestHub({ config: { server: { host } } })
      const url = new URL(hub.url)
      expect(hub.url).toBe(`http://${host === '::1' ? '[::1]' : '127.0.0.1'}:${url.port}`)
      await using config = await writtenConfig({
        server: `host: "${host}"\nport: ${url.port}\nadminToken: \${ADMIN_TOKEN}`,
      })
      expect(await tillbridge(['status'], config.env)).toMatchObject({ code: 0, err: '' })
      expect(await tillbridge(['health'], config.env)).toMatchObject({ code: 0, out: `${hub.url} is ready.\n` })
    },
  )
})

/** A proxy that hands on to a hub what is asked below a path, and answers the rest with a page. */
async function behindPath(path: string, hub: string) {
  const below: string[] = []
  const elsewhere: string[] = []
  const server = await listen((incoming, answer) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith(`${path}/`)) {
      elsewhere.push(url)
      answer.end('<!doctype html><title>Shops</title>')
      return
    }
    const rest = url.slice(path.length)
    below.push(rest.split('?')[0] ?? '')
    incoming.pipe(
      request(new URL(rest, hub), { method, headers }, (back) => {
        answer.writeHead(back.statusCode ?? 502, back.headers)
        back.pipe(answer)
      }).on('error', () => answer.destroy()),
    )
  })
  return {
    ...server,
    below,
    elsewhere,
  }
}
