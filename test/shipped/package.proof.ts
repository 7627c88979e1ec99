import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../docs/docker-context.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { openNetwork, openTerminal } from './terminal.ts'

/** What is not for strangers: files of whoever packs it, tests, and the source, which Node does not run below node_modules. */
const NOT_SHIPPED = /(^|\/)(\.env|tillbridge\.yaml|data\/|test\/)|^lib\/.*\.ts$/

let shop: Awaited<ReturnType<typeof createFolder>>
let tarball = ''

beforeAll(async () => {
  shop = await createFolder()
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'pipe' })
  const args = ['pack', join(ROOT, 'dist'), '--json', '--pack-destination', shop.path]
  const [{ filename, files }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' }))
  expect(files.map(({ path }: { path: string }) => path).filter((path: string) => NOT_SHIPPED.test(path))).toEqual([])
  tarball = join(shop.path, filename)
})
afterAll(() => shop[Symbol.asyncDispose]())

test('When it is installed in an empty folder, then three commands are a first sale, and nothing else was downloaded', async () => {
  await using folder = await createFolder()
  using network = await openNetwork()
  // Where Node is an old one, npm brings a newer along.
  await using downloads = openTerminal(folder.path, [])
  await using first = openTerminal(folder.path, network.enter)
  const type = async (command: string) => {
    const { code, out } = await first.type(command)
    expect(code, `${command}\n${out}`).toBe(0)
    return out
  }

  const installed = await downloads.type(`npm install ${tarball}`)
  expect(installed.code, installed.out).toBe(0)
  expect(readdirSync(join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['tillbridge'])

  const sandbox = await first.leave('npx tillbridge sandbox')
  await type('npx tillbridge init --sandbox')
  const hub = await first.leave('npx tillbridge start')
  await type('npx tillbridge jobs run subscriptions')
  await type('curl -sf http://127.0.0.1:8091/sandbox/sell -d store=101 -d sku=TEE-BLK-M -d quantity=2')
  await eventually(async () => {
    const { deliveries } = JSON.parse(await type('npx tillbridge deliveries list --kind SaleCreated --json'))
    const ended = deliveries.map(({ state, destination }: Record<string, string>) => `${destination} ${state}`)
    expect(ended.sort()).toEqual(['bus delivered', 'erp delivered', 'mirror delivered'])
  })
  expect(readdirSync(join(folder.path, 'data/erp')).filter((name) => name.startsWith('sale-'))).toHaveLength(1)
  await hub.interrupt()
  await sandbox.interrupt()
})

test('When a day is played with it, then all that happened has arrived, once', async () => {
  await using folder = await createFolder()
  using network = await openNetwork()
  await using terminal = openTerminal(folder.path, network.enter)
  await terminal.type(`npm install ${tarball}`)
  const { code, out } = await terminal.type('npx tillbridge demo --exit')
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('has happened, once.') })
})

test('When an adapter of one’s own stands beside it, as a file or as a package, then it is given the Tillbridge that loads it', async () => {
  await using folder = await createFolder()
  await using terminal = openTerminal(folder.path, [])
  await terminal.type(`npm install ${tarball}`)
  const page = readFileSync(join(ROOT, 'docs/adapters/write-your-own.md'), 'utf8')
  const [, code = ''] = /```ts\n(.*?)```/s.exec(page) ?? []
  await mkdir(join(folder.path, 'my-adapters'))
  await writeFile(join(folder.path, 'my-adapters/queue.ts'), code)
  await terminal.type('npx tillbridge init')
  const config = join(folder.path, 'config/tillbridge.yaml')
  const queue = `destinations:\n  queue: { adapter: ../my-adapters/queue.ts, url: https://queue.example.com, token: "\${BUS_SECRET}", publish: all }\n`
  await writeFile(config, readFileSync(config, 'utf8').replace('destinations:\n', queue))
  expect(await terminal.type('npx tillbridge check')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^queue +\.\.\/my-adapters\/queue\.ts/m),
  })
})
