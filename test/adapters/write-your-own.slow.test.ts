import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { orderUpdate } from '../fixtures/payloads.ts'
import { allDelivered, createFolder, startTestHub } from '../hub.ts'
import { startHttpPeer } from './http-peer.ts'

const run = promisify(execFile)
const page = await readFile('docs/adapters/write-your-own.md', 'utf8')
const [code = '', labels = '', chat = '', labelsTest = ''] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(
  ([, block]) => block,
)

/** The project with a folder my-adapters/ of an operator: a temporary folder that links to the real sources. */
const project = await mkdtemp(join(tmpdir(), 'tillbridge-own-'))
for (const name of ['src', 'test', 'tools', 'node_modules', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
  await symlink(resolve(name), join(project, name))
await mkdir(join(project, 'my-adapters'))
const files = { 'queue.ts': code, 'labels.ts': labels, 'pickup-chat.ts': chat, 'labels.test.ts': labelsTest }
for (const [name, text] of Object.entries(files)) await writeFile(join(project, 'my-adapters', name), text)
afterAll(() => rm(project, { recursive: true }))

test('The code on the page, in a folder outside, passes the kit that the page shows', async () => {
  await using folder = await createFolder()
  const at = (name: string) => join(folder.path, name)
  const manifest = page.match(/```json\n(\{\n {2}"name": "tillbridge-adapter-labels".*?)```/s)?.[1] ?? ''
  await writeFile(at('package.json'), manifest.replace('./labels.js', './queue.ts'))
  await writeFile(at('queue.ts'), code)
  await writeFile(at('kit.js'), page.match(/```js\n(.*?)```/s)?.[1] ?? '')
  const { stdout } = await run(process.execPath, [resolve('bin/tillbridge.mjs'), 'adapter', 'test', '.'], {
    cwd: folder.path,
  })
  expect(stdout).toMatch(/crash between call and outcome +one effect +queued as m-1\n.*Each case holds\.\n$/s)
})

test('The code and the kit on the page are those that adapter new writes', async () => {
  const plain = (text: string) => text.replace(/\btype \w+, |: HttpRequest|: PublishPort/g, '').replace(/\s+/g, ' ')
  expect(plain(code)).toBe(plain(await readFile('config/adapter/index.js', 'utf8')))
  expect(page).toContain(await readFile('config/adapter/kit.js', 'utf8'))
})

test('The code on the page is not longer than the page says', () => {
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(30)
})

test('The code on the page has no type error', async () => {
  const config = { extends: '../tsconfig.json', include: ['*.ts'] }
  await writeFile(join(project, 'my-adapters/tsconfig.json'), JSON.stringify(config))
  const errors = await run(process.execPath, ['node_modules/.bin/tsc', '--project', join(project, 'my-adapters')]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(errors).toBe('')
})

test('When the folder is there, then the type check reads it, and npm test finds its tests, which pass', async () => {
  const shown = await run(process.execPath, ['node_modules/.bin/tsc', '--project', project, '--showConfig'])
  const read = (JSON.parse(shown.stdout) as { files: string[] }).files
  expect(Object.keys(files).filter((name) => !read.includes(`./my-adapters/${name}`))).toEqual([])
  const vitest = [
    resolve('node_modules/vitest/vitest.mjs'),
    'run',
    'my-adapters',
    '--reporter=json',
    '--outputFile=report.json',
  ]
  await run(process.execPath, vitest, { cwd: project })
  expect(JSON.parse(await readFile(join(project, 'report.json'), 'utf8'))).toMatchObject({
    success: true,
    numPassedTests: 1,
  })
})

test('an adapter that watches announces a pickup in a chat beside the OMS that is told of it', async () => {
  await using chatRoom = await startHttpPeer()
  await using oms = await startHttpPeer()
  const shown = JSON.parse(page.match(/```json\n(.*?)```/s)?.[1] ?? '')
  expect(shown).toEqual(orderUpdate())
  await using hub = await startTestHub({
    destinations: {
      oms: {
        adapter: 'rest',
        url: oms.address,
        orders: { ready: { path: '/orders/{{order.number}}/ready', body: '{ "ready": true }', idempotent: true } },
      },
      chat: {
        adapter: join(project, 'my-adapters/pickup-chat.ts'),
        webhook: `${chatRoom.address}/hooks/pickups`,
        publish: ['OmniChannelOrderUpdated'],
      },
    },
    config: { platform: { trustWebhooks: true } },
  })

  await hub.post('OmniChannelOrderUpdated', shown)
  await hub.post('OmniChannelOrderUpdated', orderUpdate({ orderNo: 'A2', id: 'another', status: 'UnHandled' }))

  await allDelivered(hub, 3)
  expect(oms.calls.map(({ line }) => line)).toEqual(['POST /orders/A1/ready'])
  expect(chatRoom.calls.map(({ line, body }) => [line, JSON.parse(String(body))])).toEqual([
    ['POST /hooks/pickups', { text: 'Order A1 lies ready.' }],
  ])
})

test('When plain Node loads the file from my-adapters, then it delivers', async () => {
  await using peer = await startHttpPeer()
  peer.play({ status: 202, body: '{"id":"m-1"}' })
  const script = `
    const { loadAdapter } = await import('${project}/src/adapters/index.ts')
    const adapter = await loadAdapter('./my-adapters/queue.ts', '${project}')
    const options = adapter.options.parse({ url: '${peer.address}/pos', token: 'token-of-the-queue' })
    await using instance = adapter.create(options, { destination: 'queue', timeout: 5000, concurrency: 1 })
    const event = { kind: 'SaleCreated', body: Buffer.from('{"a":1}'), receivedAt: 0 }
    const attempt = { key: 'SaleCreated:1:f:p', signal: new AbortController().signal }
    console.log(JSON.stringify(await instance.ports.publish.publish(event, attempt)))`
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', script])
  expect([stdout.trim(), stderr]).toEqual(['{"note":"queued as m-1"}', ''])
  expect(peer.calls).toMatchObject([{ line: 'POST /pos', headers: { 'idempotency-key': 'SaleCreated:1:f:p' } }])
})
