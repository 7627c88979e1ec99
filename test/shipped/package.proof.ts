import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../tools/docker-context.ts'
import { eventually } from '../eventually.ts'
import { createFolder } from '../hub.ts'
import { openNetwork, openTerminal } from './terminal.ts'

/** What is not for strangers: files of whoever packs it, tests, and the source, which Node does not run below node_modules. */
const NOT_SHIPPED = /(^|\/)(\.env|tillbridge\.yaml|data\/|test\/)|^lib\/.*\.ts$/

let shop: Awaited<ReturnType<typeof createFolder>>
let tarball = ''

beforeAll(async () => {
  shop = await createFolder()
  const built = join(shop.path, 'built')
  execFileSync('npm', ['run', 'build', '--', built], { cwd: ROOT, stdio: 'pipe' })
  const args = ['pack', built, '--json', '--pack-destination', shop.path]
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
  await using downloads = openTerminal(folder.path, [])
  await using terminal = openTerminal(folder.path, network.enter)
  expect(await downloads.type(`npm install ${tarball}`)).toMatchObject({ code: 0 })
  const { code, out } = await terminal.type('npx tillbridge demo --exit')
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('has happened, once.') })
})

test('on the oldest Node that it names no other is brought along, a day is played, and an adapter in TypeScript passes its kit', async () => {
  await using folder = await createFolder()
  using network = await openNetwork()
  await using downloads = openTerminal(folder.path, [])
  await using terminal = openTerminal(folder.path, network.enter)
  const node = `node-linux-${process.arch}`
  expect(await downloads.type(`npm install --fetch-retries 6 --prefix old ${node}@22.19.0 2>&1`)).toMatchObject({
    code: 0,
  })
  for (const one of [downloads, terminal]) await one.type(`PATH="$PWD/old/node_modules/${node}/bin:$PATH"`)
  expect(await terminal.type('node --version')).toMatchObject({ out: 'v22.19.0\n' })
  expect(await downloads.type(`npm install ${tarball}`)).toMatchObject({ code: 0 })
  const installed = join(folder.path, 'node_modules/tillbridge')
  expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).engines).toEqual({ node: '>=22.19' })
  expect(readdirSync(join(installed, 'tools/node24'))).not.toContain('node_modules')
  const { code, out } = await terminal.type('npx tillbridge demo --exit')
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('has happened, once.') })
  await terminal.type('npx tillbridge adapter new labels')
  expect(await terminal.type('npx tillbridge adapter test tillbridge-adapter-labels')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Each case holds.'),
  })
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

test('an adapter in TypeScript is checked against the types of the package, and a new one passes its kit', async () => {
  await using folder = await createFolder()
  await using terminal = openTerminal(folder.path, [])
  await terminal.type(`npm install ${tarball}`)
  await symlink(join(ROOT, 'node_modules/zod'), join(folder.path, 'node_modules/zod'))
  const page = readFileSync(join(ROOT, 'docs/adapters/write-your-own.md'), 'utf8')
  const wrong = `import { type AdapterKit, testAdapter } from 'tillbridge/adapter/test'
import queue from './queue.ts'
export const kit: AdapterKit = { start: 1 }
export const results: Promise<string> = testAdapter(queue, kit)`
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', allowImportingTsExtensions: true }
  const compilerOptions = { ...options, lib: ['es2024', 'esnext.disposable'], types: ['node'] }
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const config = { compilerOptions: { ...compilerOptions, typeRoots }, files: ['queue.ts', 'wrong.ts'] }
  await writeFile(join(folder.path, 'queue.ts'), /```ts\n(.*?)```/s.exec(page)?.[1] ?? '')
  await writeFile(join(folder.path, 'wrong.ts'), wrong)
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
  const { out } = await terminal.type(`${join(ROOT, 'node_modules/.bin/tsc')} --pretty false`)
  expect(out.split('\n').filter((line) => line.includes('error'))).toEqual([
    expect.stringMatching(/^wrong\.ts\(3,.*not assignable to type '\(\) => Promise<KitSystem>'/),
    expect.stringMatching(/^wrong\.ts\(4,.*'Promise<CaseResult\[\]>' is not assignable/),
  ])
  await terminal.type('npx tillbridge adapter new labels')
  expect(await terminal.type('npx tillbridge adapter test tillbridge-adapter-labels')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Each case holds.'),
  })
})

test('When init writes a unit for systemd, then systemd finds no fault in it, and little that an intruder could do', async () => {
  await using folder = await createFolder()
  await using terminal = openTerminal(folder.path, [])
  await terminal.type(`npm install ${tarball}`)
  // Where its user, who is nobody's, can read it.
  await copyFile(process.execPath, join(folder.path, 'node'))
  const init = './node node_modules/tillbridge/bin/tillbridge.mjs init --systemd'
  expect(await terminal.type(init)).toMatchObject({ code: 0, out: expect.stringContaining('systemctl enable --now') })
  const rights = async (path: string) => (await stat(join(folder.path, path))).mode & 0o777
  expect([await rights('.env'), await rights('config'), await rights('config/tillbridge.yaml')]).toEqual([
    0o600, 0o755, 0o644,
  ])
  expect(await terminal.type('systemd-analyze verify ./tillbridge.service')).toEqual({ code: 0, out: '' })
  const judged = await terminal.type('systemd-analyze security --offline=yes --threshold=20 ./tillbridge.service')
  expect(judged.code, judged.out).toBe(0)
})

test('When systemd has started it, then it is told that the hub is ready, and again and again that it lives', async () => {
  await using folder = await createFolder()
  using network = await openNetwork()
  await using downloads = openTerminal(folder.path, [])
  await using terminal = openTerminal(folder.path, network.enter)
  await downloads.type(`npm install ${tarball}`)
  await mkdir(join(folder.path, 'bin'))
  const told = join(folder.path, 'told')
  await writeFile(join(folder.path, 'bin/systemd-notify'), `#!/bin/sh\necho "$1" >> ${told}\n`, { mode: 0o755 })
  await terminal.type('npx tillbridge init')
  const hub = await terminal.leave(
    'NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=200000 PATH="$PWD/bin:$PATH" npx tillbridge start',
  )
  await eventually(() => expect(readFileSync(told, 'utf8')).toMatch(/^READY=1\n(WATCHDOG=1\n){3}/))
  await hub.interrupt()
})
